import { expect } from "expect";
import type { Example } from "../example.ts";

const FOLDER = "manifests/examples/configuration-validation";

/** A misspelt duration is denied when it is applied, and the text names it. */
export async function configurationValidation(example: Example): Promise<void> {
  await example.run(`kubectl apply -f ${FOLDER}/1_good.yaml`);
  await expect(example.run(`kubectl apply -f ${FOLDER}/2_misspelt_duration.yaml`)).rejects.toThrow(
    /denied the request: .*connect_timeout: expected a duration such as .*0\.25s.*, found string .*10 miliseconds/,
  );
}
