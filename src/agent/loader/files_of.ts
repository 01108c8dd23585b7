import { ChanceryError } from "../../base/mod.ts";
import type { SourceFile, SourceFiles } from "./source_state.ts";

/** A ConfigMap or Secret as the API server tells it. */
export interface DataObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
  readonly data?: Readonly<Record<string, string>> | null;
  readonly binaryData?: Readonly<Record<string, string>> | null;
}

const KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** The files of an object, a key each: text of `data`, bytes of `binaryData`; a Secret's `data` are bytes. */
export function filesOf(
  object: DataObject,
  { kind, folder }: { readonly kind: "configmap" | "secret"; readonly folder: string },
): SourceFiles {
  const owner = `${kind} ${object.metadata?.namespace ?? ""}/${object.metadata?.name ?? ""}`;
  const secret = kind === "secret";
  const files = new Map<string, SourceFile>();
  const put = (key: string, bytes: Uint8Array<ArrayBuffer>) => {
    // The API server checks keys already; a file outside the output must be impossible, whoever answers.
    if (!KEY.test(key) || key === "." || key.startsWith("..")) {
      throw new ChanceryError(
        "invalid-input",
        `Cannot take key ${JSON.stringify(key)} of ${owner}: it is no file name`,
      );
    }
    files.set(folder === "" ? key : `${folder}/${key}`, { bytes, secret, owner });
  };
  for (const [key, text] of Object.entries(object.data ?? {})) {
    put(key, secret ? base64(text, { owner, key }) : new TextEncoder().encode(text));
  }
  for (const [key, text] of Object.entries(object.binaryData ?? {})) put(key, base64(text, { owner, key }));
  return files;
}

function base64(text: string, { owner, key }: { owner: string; key: string }): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    // Without the cause: it may quote what is secret.
    throw new ChanceryError("invalid-input", `Cannot take key ${JSON.stringify(key)} of ${owner}: it is no base64`);
  }
}
