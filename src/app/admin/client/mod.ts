/**
 * Asks the admin interface of a running process. Loads nothing of the server.
 * @module
 */
export { answers } from "./answers.ts";
export { askAdmin, type AskAdminOptions, Unreachable } from "./ask.ts";
export { type AskOptions, askSocket, SOCKET_NAME } from "./socket_client.ts";
