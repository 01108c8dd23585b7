import Type from "typebox";

/** Which kind of key a new certificate gets. The names are those of `pki`. */
export const keyAlgorithm = Type.Optional(Type.Enum(["ECDSA-P256", "RSA-2048", "RSA-3072", "RSA-4096"], {
  type: "string",
  description: "Kind of new keys, ECDSA-P256 when unset; a change of it alone replaces nothing",
}));
