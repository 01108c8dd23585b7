import { type EndpointSlice, type LabelSelector, matchesSelector, SERVICE_NAME_LABEL } from "../../api/mod.ts";

/** EndpointSlices by label, so that a selector looks at a few of them and not at the whole namespace. */
export class SliceIndex {
  readonly #byName = new Map<string, EndpointSlice>();
  readonly #byLabel = new Map<string, Map<string, EndpointSlice>>();

  /** Puts a slice in, or takes it out; returns the one that was there. */
  replace(namespace: string, name: string, slice: EndpointSlice | undefined): EndpointSlice | undefined {
    const id = `${namespace}/${name}`;
    const before = this.#byName.get(id);
    for (const bucket of bucketsOf(namespace, before)) {
      const slices = this.#byLabel.get(bucket);
      slices?.delete(id);
      if (slices?.size === 0) this.#byLabel.delete(bucket);
    }
    if (slice) this.#byName.set(id, slice);
    else this.#byName.delete(id);
    for (const bucket of bucketsOf(namespace, slice)) {
      const slices = this.#byLabel.get(bucket);
      if (slice && slices) slices.set(id, slice);
      else if (slice) this.#byLabel.set(bucket, new Map([[id, slice]]));
    }
    return before;
  }

  /** All slices of a namespace that match. */
  select(namespace: string, selector: LabelSelector): EndpointSlice[] {
    const slices = this.#byLabel.get(selectorBucket(namespace, selector));
    return [...slices?.values() ?? []].filter((slice) => matchesSelector(selector, slice.metadata.labels));
  }
}

/** The one bucket that holds all slices a selector can match: that of a label it demands, or the whole namespace. */
export function selectorBucket(namespace: string, { matchLabels = {} }: LabelSelector): string {
  const label = Object.hasOwn(matchLabels, SERVICE_NAME_LABEL)
    ? SERVICE_NAME_LABEL
    : Object.keys(matchLabels).sort()[0];
  return label === undefined ? bucket(namespace) : bucket(namespace, label, matchLabels[label]);
}

/** Every bucket a slice is in. */
export function bucketsOf(namespace: string, slice: EndpointSlice | undefined): string[] {
  if (!slice) return [];
  const labels = Object.entries(slice.metadata.labels ?? {});
  return [bucket(namespace), ...labels.map(([label, value]) => bucket(namespace, label, value))];
}

function bucket(namespace: string, label?: string, value?: string): string {
  return label === undefined ? namespace : `${namespace}\0${label}\0${value}`;
}
