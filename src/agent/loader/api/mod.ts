/**
 * The API server by `fetch` alone: single objects, and watches of them.
 * @module
 */
export { ApiServer, type ApiServerOptions } from "./api_server.ts";
export { followObject } from "./follow_object.ts";
export { followSelector } from "./follow_selector.ts";
export { type FollowOptions } from "./follow.ts";
