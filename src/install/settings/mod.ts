/**
 * What can be set of an installation. A door of its own, since naming the settings needs nothing of what is installed.
 * @module
 */
export {
  installOptions,
  type Setting,
  type SettingName,
  SETTINGS,
  type SettingType,
  type SettingValues,
} from "./settings.ts";
