/** Data as it comes from a store: nobody changes it, all the way down. */
export type Frozen<T> = T extends (infer Item)[] ? readonly Frozen<Item>[]
  : T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> }
  : T;
