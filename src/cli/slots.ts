import type { PostingSlot, PostingSlots } from '../client/index.js'
import { CliError } from './io.js'
import { type ListView, printList, printObject, type Row } from './output.js'
import { confirmRemoval } from './removal.js'
import { group, row, type TableCall } from './table-command.js'

const EXAMPLE = 'mon=09:30'
/** The weekdays in the order of their numbers, starting at 1. */
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

const toRow = ({ weekday, ...slot }: PostingSlot): Row => ({ ...slot, weekday: WEEKDAYS[weekday - 1] })
const SLOTS_VIEW: ListView<PostingSlot> = { columns: ['weekday', 'time'], noun: 'posting slots', toRow }

export const SLOTS = group('slots', 'the weekly times at which a channel publishes posts', [
  row('list', 'listPostingSlots', { columns: 'channelId weekday time', noun: 'posting slots', view: { toRow } }),
  row('set <channel> [slots...]', 'setPostingSlots', {
    description: 'replace the posting slots of a channel; planned posts stay',
    sample: 'mon,wed,fri=09:30 sat=10:00,18:00',
    fields: '',
    extend: (command) => command.option('--none', 'remove all slots of the channel'),
    warning: null,
    run: setSlots,
  }),
])

async function setSlots({ cli, body, given, options, send }: TableCall): Promise<void> {
  const slots = given.slots as unknown as string[]
  const { none = false } = options as { none?: boolean }
  if ((slots.length === 0) !== none) throw new CliError(2, `Add the slots, for example ${EXAMPLE}, or --none.`)
  if (none) await confirmRemoval(cli, [`This removes the posting slots of ${given.channel}.`], options)
  body.slots = slots.flatMap(readSlots)
  const answer: PostingSlots = await send()
  // Tables and CSV have one row per slot.
  if (['table', 'csv'].includes(cli.format())) printList(cli, answer.slots, SLOTS_VIEW)
  else printObject(cli, answer)
}

/** Parses `mon,wed=09:30,18:00` into four slots. The server validates the times. */
function readSlots(given: string): PostingSlot[] {
  const [days = '', times, ...more] = given.split('=')
  if (times === undefined || more.length > 0) {
    throw new CliError(2, `${given} is not a slot: give a day and a time, for example ${EXAMPLE}.`)
  }
  return days.split(',').flatMap((day) => {
    const weekday = WEEKDAYS.indexOf(day.toLowerCase()) + 1
    if (weekday === 0) throw new CliError(2, `${day} is not a day: use ${WEEKDAYS.join(', ')}.`)
    return times.split(',').map((time) => ({ weekday, time }))
  })
}
