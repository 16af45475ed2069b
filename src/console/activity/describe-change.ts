import type { ChannelRole } from '../../interface/generated/types.ts'
import { words as webhooks } from '../settings/webhooks.words.ts'
import { words as settings } from '../settings/words.ts'
import { formatInstant } from '../times.ts'
import { common } from '../words.ts'
import { words } from './words.ts'

const VALUE_CHARS = 120
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** The words for the values of a field, where they are words of the program and not of people. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  role: settings.roles,
  permissions: settings.permissions,
  events: webhooks.events,
  automation: settings.superpowerModes,
  rolesUntold: words.untold,
}

/** Tells what a field became, and where it is known what it was before: `role: Editor → Administrator`. */
export function describeChange(name: string, value: unknown, before: unknown, timeZone: string): string {
  const after = toText(name, value, timeZone)
  const was = before === undefined ? after : toText(name, before, timeZone)
  return was === after ? words.change(name, after) : words.changed(name, was, after)
}

function toText(name: string, value: unknown, timeZone: string): string {
  if (value === null || (Array.isArray(value) && value.length === 0) || value === '') return words.noValue
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value)) return cut(common.list(value.map((one) => toText(name, one, timeZone))))
  if (isChannelRole(value)) return toRoleText(value)
  if (typeof value !== 'string') return cut(JSON.stringify(value))
  if (name === 'contentType') return words.fileType(value)
  if (INSTANT.test(value)) return formatInstant(value, timeZone, 'short')
  return VALUES[name]?.[value] ?? cut(value)
}

const cut = (text: string): string => (text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS)}…`)

const isChannelRole = (value: unknown): value is ChannelRole =>
  typeof value === 'object' && value !== null && 'channelId' in value && 'mayApprove' in value

const toRoleText = ({ channelId, role, mayApprove }: ChannelRole): string =>
  `${channelId}: ${settings.roles[role]}${mayApprove ? ` · ${settings.approves}` : ''}`
