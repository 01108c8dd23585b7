import { matchesSelector } from "../../../api/mod.ts";
import type { ProgramDocument, ProgramsDocument } from "../../../app/pods/mod.ts";
import { ChanceryError } from "../../../base/mod.ts";
import type { Images, PodWorld } from "../../../pods/mod.ts";
import { flagOf } from "../../option.ts";
import { ENVOY_IMAGE_OPTIONS, IMAGE } from "../../options/images.ts";
import { resolveValues } from "../../values.ts";

/** The options by which webhook and operator are told the images. */
const TABLE = { image: { ...IMAGE, help: "" }, ...ENVOY_IMAGE_OPTIONS } as const;

/**
 * Which images are given to whom. What somebody says goes before what is installed, which is `undefined` when nobody looked. Throws
 * `not-found` when nothing is installed that puts sidecars into pods.
 */
export function imagesOf(
  programs: ProgramsDocument | undefined,
  said: Partial<Images>,
): Pick<PodWorld, "injector" | "operator"> {
  const { image: sidecars } = said;
  if (!programs) {
    const images = { image: sidecars ?? "", envoyImage: said.envoyImage };
    return { injector: () => images, operator: () => images };
  }
  const { injectors, operators } = programs;
  if (injectors.length === 0) {
    throw new ChanceryError(
      "not-found",
      "Cannot tell which pods are old: nothing in the cluster puts sidecars into pods, so Chancery is not installed there\n" +
        "Next: --image IMAGE says what would be put in",
    );
  }
  const withSaid = (images: Images): Images => ({ ...images, envoyImage: said.envoyImage ?? images.envoyImage });
  return {
    injector(namespace) {
      const found = injectors.find(({ namespaces = {} }) => matchesSelector(namespaces, labelsOf(namespace)));
      if (!found) return `nothing puts sidecars into pods of namespace ${JSON.stringify(namespace)}`;
      const { program, configuration } = found;
      if (!program) {
        return `the program behind MutatingWebhookConfiguration ${JSON.stringify(configuration)} is not to be found`;
      }
      const images = imagesIn(program);
      return images
        ? withSaid(images)
        : `the webhook ${JSON.stringify(program.deployment)} is told no image of Chancery`;
    },
    operator(namespace) {
      const found = operators.find(({ env: { WATCH_NAMESPACE: watched = "" } }) =>
        watched === "" || watched.split(",").includes(namespace)
      );
      const images = found && imagesIn(found);
      return images && withSaid(images);
    },
  };
}

/** The label that every namespace has; by others nobody tells our webhook apart. */
function labelsOf(namespace: string): Readonly<Record<string, string>> {
  return { "kubernetes.io/metadata.name": namespace };
}

/** What a program was told, as it reads it itself. */
function imagesIn({ args, env }: ProgramDocument): Images | undefined {
  const given = Object.fromEntries(Object.keys(TABLE).map((name) => [name, valueOf(args, flagOf(name))]));
  const { image, envoyImage } = resolveValues(TABLE, given, (name) => env[name]);
  return image === undefined ? undefined : { image, envoyImage };
}

/** What stands behind a flag, or in the next word. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  const at = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  return args[at] === flag ? args[at + 1] : args[at]?.slice(flag.length + 1);
}
