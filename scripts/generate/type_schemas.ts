import {
  type Config,
  createFormatter,
  createParser,
  DEFAULT_CONFIG,
  type Schema,
  SchemaGenerator,
} from "ts-json-schema-generator";
import ts from "typescript";

/** An exported type. */
export interface TypePlace {
  /** Path from the top of the repository. */
  readonly file: string;
  readonly type: string;
}

/** The library that types of documents may use: the compiler's own would put its words into descriptions, and is slow to read. */
const LIBRARY = `
type Partial<T> = { [K in keyof T]?: T[K] };
type Required<T> = { [K in keyof T]-?: T[K] };
type Readonly<T> = { readonly [K in keyof T]: T[K] };
type Pick<T, K extends keyof T> = { [P in K]: T[P] };
type Record<K extends keyof any, T> = { [P in K]: T };
type Exclude<T, U> = T extends U ? never : T;
type Extract<T, U> = T extends U ? T : never;
type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;
type NonNullable<T> = T & {};
interface Array<T> { length: number; [n: number]: T }
interface ReadonlyArray<T> { readonly length: number; readonly [n: number]: T }
interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
`;
const LIBRARY_NAME = "/library.d.ts";
const TOP = new URL("../../", import.meta.url);

const OPTIONS: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, allowImportingTsExtensions: true, types: [] },
  ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
};

/** Reads all the types at once; gives a function that makes the JSON Schema (draft-07) of one of them. */
export function typeSchemas(places: readonly TypePlace[]): (place: TypePlace) => Schema {
  const program = ts.createProgram(places.map(pathOf), OPTIONS, hostOf());
  return ({ file, type }) => {
    const config: Config = {
      ...DEFAULT_CONFIG,
      path: pathOf({ file }),
      type,
      skipTypeCheck: true, // deno check does it, with the whole library
      expose: "export",
      topRef: false,
      jsDoc: "extended",
      sortProps: false,
      additionalProperties: false,
    };
    const whole = { ...DEFAULT_CONFIG, ...config };
    return new SchemaGenerator(program, createParser(program, whole), createFormatter(whole), whole).createSchema(type);
  };
}

function pathOf({ file }: Pick<TypePlace, "file">): string {
  return decodeURIComponent(new URL(file, TOP).pathname);
}

/** Follows imports within the repository alone: what a document is made of is ours. */
function hostOf(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS);
  const library = ts.createSourceFile(LIBRARY_NAME, LIBRARY, ts.ScriptTarget.ESNext);
  return {
    ...host,
    getDefaultLibFileName: () => LIBRARY_NAME,
    getSourceFile: (path, ...rest) => path === LIBRARY_NAME ? library : host.getSourceFile(path, ...rest),
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) => {
        if (!/^\..*\.ts$/.test(text) || text.includes("/protos/")) return { resolvedModule: undefined };
        const resolvedFileName = decodeURIComponent(new URL(text, `file://${from}`).pathname);
        return { resolvedModule: { resolvedFileName, extension: ts.Extension.Ts } };
      }),
  };
}
