import { type Config, readConfig } from '../src/config/index.js'

type Changes<Group> = Group extends readonly unknown[] | boolean
  ? Group
  : Partial<NonNullable<Group>> | Extract<Group, null>

/** Settings that replace those of a configuration, by group; `null` turns a group off. */
export type ConfigChanges = { readonly [Name in keyof Config]?: Changes<Config[Name]> }

/** A configuration with these groups on, which has the defaults of their other settings. */
const ON = readConfig({ MEDIA_DIR: '/nowhere', BACKUP_DIR: '/nowhere' })

const isGroup = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/** Merges both changes; the later ones win. */
export function mergeChanges(before: ConfigChanges, later: ConfigChanges): ConfigChanges {
  const groups: Record<string, unknown> = { ...before }
  for (const [name, group] of Object.entries(later)) {
    groups[name] = isGroup(group) && isGroup(groups[name]) ? { ...groups[name], ...group } : group
  }
  return groups
}

/** Returns the configuration with the changes, which can turn a group on. */
export function withConfig(config: Config, changes: ConfigChanges): Config {
  const on = Object.entries(config).map(([name, group]) => [
    name,
    group === null && isGroup(changes[name as keyof Config]) ? ON[name as keyof Config] : group,
  ])
  return mergeChanges(Object.fromEntries(on), changes) as Config
}
