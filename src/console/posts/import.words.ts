import type { CaptionCount } from '../../interface/caption-limits.ts'
import type { ImportProblemCode } from '../../interface/generated/types.ts'
import type { ImportColumn } from '../../interface/post-import.ts'
import { common } from '../words.ts'

const { count, number } = common

const PROBLEMS: Record<ImportProblemCode, string> = {
  time_unreadable: 'Write the time as 2026-12-24 18:00.',
  time_ambiguous: 'Say above which date this is.',
  time_never: 'This time does not exist there: the clocks go forward then. Choose another.',
  time_twice: 'This time occurs twice, because the clocks go back then. Add the zone, such as 2026-10-25T02:30+02:00.',
  time_past: 'This time has passed. Choose one in the future, or leave it empty.',
  channel_missing: 'Name the channel.',
  channel_unknown: 'There is no channel with this name or id.',
  channel_ambiguous: 'Several channels have this name. Choose the one that is meant.',
  channel_forbidden: 'You may not write posts on this channel. Choose another one.',
  channel_rounded: 'This id was rounded by a spreadsheet: choose the channel.',
  text_missing: 'Write a text.',
  text_too_long: 'Shorten the text.',
  media_no_url: 'An address begins with https:// or http://.',
  media_gone: 'This uploaded file is not there, or no longer.',
  media_refused: 'The channel does not accept this file.',
  notes_too_long: 'Shorten the notes.',
  too_many_cells: 'The line has more cells than columns: what follows the last one is lost. Check the text.',
  characters_lost: 'Characters of the file are lost: save it as UTF-8, and import it again.',
}

/** These texts are about the import of posts from a CSV. */
export const importWords = {
  title: 'Import posts',
  open: 'Import from CSV…',
  lead: (zone: string): string =>
    `Each line becomes a draft, which is approved like every other one. Times are in ${zone}, unless the file says another zone.`,
  columns:
    'Columns: time, channel (its name or id), text, media (an address) and notes. Only channel and text are needed.',
  template: 'Download a template',
  templateName: 'posts.csv',
  example: {
    text: 'The text of the post. In a spreadsheet it may have several lines.',
    channel: 'The name of a channel',
  },
  choose: 'Choose a file…',
  tooLarge: 'The file is too large: split it, 500 lines at most in each.',
  whichDate: (text: string): string => `Which date is ${text}? The answer holds for the whole file.`,
  lines: 'Lines of the file',
  line: (many: number): string => `Line ${number(many)}`,
  summary: (lines: number, wrong: number): string =>
    wrong === 0
      ? `${count(lines, 'line')} can be imported.`
      : `${count(wrong, 'line')} of ${number(lines)} ${wrong === 1 ? 'has' : 'have'} a problem: correct ${wrong === 1 ? 'it, or leave it' : 'them, or leave them'} out.`,
  onlyWrong: 'Show only lines with a problem',
  correct: 'Correct',
  leaveOut: 'Leave out',
  column: { time: 'Time', channel: 'Channel', text: 'Text', media: 'Picture or video', notes: 'Notes' } as Record<
    ImportColumn,
    string
  >,
  done: 'Done',
  chooseChannel: 'Choose a channel',
  import: (many: number): string => `Import ${count(many, 'draft')}`,
  imported: (many: number): string => `${count(many, 'draft is', 'drafts are')} imported.`,
  toCalendar: 'Show the calendar',
  another: 'Import another file',
  permissionMissing: 'You can view posts but not write them. Ask an administrator for permission.',
  problem: (code: ImportProblemCode, message: string, excess: CaptionCount | undefined): string =>
    excess === undefined
      ? (PROBLEMS[code] ?? message)
      : `The channel takes at most ${number(excess.max)} ${excess.what}: this text has ${number(excess.count)}.`,
}
