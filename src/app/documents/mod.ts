/**
 * What there is to say of EnvoyConfigs, whoever says it: the process that serves them, or the objects in a cluster. Loads
 * little, for commands read it.
 * @module
 */
export {
  type ClientsSource,
  configsDocument,
  type ConfigsParts,
  historyDocument,
  type ObjectReader,
  type ServedConfig,
} from "./configs.ts";
export type {
  ClientsDocument,
  ConfigDocument,
  ConfigsDocument,
  ConfigsQuery,
  HistoryDocument,
  HoldDocument,
  RefusalDocument,
  RejectionDocument,
  RevisionDocument,
  RollbackAnswer,
  RollbackRequest,
  ServedDocument,
  ServedResource,
  UnknownResource,
  VirtualServiceDocument,
} from "./configs_document.ts";
export { type FindingStatus, findingStatus } from "./finding_status.ts";
