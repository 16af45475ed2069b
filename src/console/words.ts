import { pageWords } from './wording.ts'

// All texts in the page's language. These sections are the keys in locales/.
export const {
  common,
  shell,
  entrance,
  factors,
  tokens,
  inbox,
  approvals,
  difference,
  outside,
  discussion,
  calendar,
  calendarTools,
  posts,
  superpowers,
  comments,
  copies,
  media,
  outsideMedia,
  postImport,
  raffles,
  series,
  waits,
  writing,
  library,
  audience,
  person,
  peopleImport,
  segments,
  insights,
  activity,
  settings,
  channels,
  channelRoles,
  keys,
  server,
  sources,
  webhooks,
} = pageWords

/** Returns a value's text, or a fallback (by default the value itself) if this version has none. */
export const textOf = (texts: Readonly<Record<string, string>>, value: string, other = value): string =>
  texts[value] ?? other

/** Formats a string that the service selects; only some have arguments. */
export const say = <Args>(text: string | ((args: Args) => string), args: Args): string =>
  typeof text === 'string' ? text : text(args)
