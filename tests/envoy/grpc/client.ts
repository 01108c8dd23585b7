/**
 * Asks a target of the form `xds:///NAME` who it is, again and again, and prints each new answer. Finds its control plane in
 * GRPC_XDS_BOOTSTRAP_CONFIG, as gRPC's own clients do.
 * @module
 */
import { credentials, makeGenericClientConstructor, type ServiceError } from "@grpc/grpc-js";
import { register } from "@grpc/grpc-js-xds";
import { WHO } from "./who.ts";

register();
const [target = ""] = Deno.args;
const client = new (makeGenericClientConstructor(WHO, "Who"))(target, credentials.createInsecure());

function ask(): Promise<string> {
  return new Promise((resolve) => {
    client["are"]!(
      "who",
      { deadline: Date.now() + 5000 },
      (error: ServiceError | null, answer: string) =>
        resolve(error ? `error ${error.code} ${error.details}` : `answer ${answer}`),
    );
  });
}

let last = "";
let asked = 0;
for (;;) {
  const now = await ask();
  asked++;
  if (now !== last) console.log(`${now} after ${asked} calls`);
  last = now;
  await new Promise((resolve) => setTimeout(resolve, 10));
}
