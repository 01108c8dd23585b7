/**
 * Puts variables into a text as the kubelet does: `$(NAME)` becomes its value, `$$` a single `$`, and whatever names no known
 * variable stays as it is.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    return variables.get(name) ?? found;
  });
}
