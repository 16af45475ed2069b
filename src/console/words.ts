import { pageWords } from './wording.ts'

// All texts, in the language of the page. They are in locales/, by the names of these sections.
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

/** The text of a value. The value itself, or what else is given, is shown if this version has no text for it. */
export const textOf = (texts: Readonly<Record<string, string>>, value: string, other = value): string =>
  texts[value] ?? other

/** A text that the service chooses among several, of which only some have arguments. */
export const say = <Args>(text: string | ((args: Args) => string), args: Args): string =>
  typeof text === 'string' ? text : text(args)
