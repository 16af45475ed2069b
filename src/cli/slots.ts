import type { Command } from 'commander'
import type { ChannelPostingSlot, PostingSlot, PostingSlots } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { type Cli, CliError } from './io.js'
import { type ListView, printList, printObject, type Row } from './output.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'

const EXAMPLE = 'mon=09:30'
/** In the order of their numbers, from 1 on. */
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

const toRow = ({ weekday, ...slot }: PostingSlot): Row => ({ ...slot, weekday: WEEKDAYS[weekday - 1] })
const SLOTS: ListView<PostingSlot> = { columns: ['weekday', 'time'], noun: 'posting slots', toRow }
const CHANNEL_SLOTS: ListView<ChannelPostingSlot> = { ...SLOTS, columns: ['channelId', 'weekday', 'time'] }

export function addSlots(program: Command, cli: Cli): void {
  const about = 'the weekly times at which posts of a channel are to go out'
  const { print, list } = groupOf(program, cli, 'slots', about, printSlots)

  list(
    'list <organization>',
    'list the posting slots of every channel, on the wall clock of the organization',
    'org_5V3kPq',
    CHANNEL_SLOTS,
    (organization: string) => operator(cli).channels.postingSlots(organization),
  )

  const set = print(
    'set <organization> <channel> [slots...]',
    'set the posting slots of a channel, in place of those that it has; posts that are planned stay',
    'org_5V3kPq FB_PAGE_104512883716042 mon,wed,fri=09:30 sat=10:00,18:00',
    async (organization: string, channel: string, given: string[], options: SureOption & { none?: true }) => {
      const { none = false } = options
      if ((given.length === 0) !== none) throw new CliError(2, `Say the slots, such as ${EXAMPLE}, or --none.`)
      if (none) await confirmRemoval(cli, [`The posting slots of ${channel} go.`], options)
      return operator(cli).channels.setPostingSlots(organization, channel, { slots: given.flatMap(readSlots) })
    },
  ).option('--none', 'the channel has no slots from now on')
  addSureOption(set, '--none')
}

/** `mon,wed=09:30,18:00` is four slots. The server judges the times. */
function readSlots(given: string): PostingSlot[] {
  const [days = '', times, ...more] = given.split('=')
  if (times === undefined || more.length > 0) {
    throw new CliError(2, `${given} is not a slot: write its day and its time, such as ${EXAMPLE}.`)
  }
  return days.split(',').flatMap((day) => {
    const weekday = WEEKDAYS.indexOf(day.toLowerCase()) + 1
    if (weekday === 0) throw new CliError(2, `${day} is not a day: write ${WEEKDAYS.join(', ')}.`)
    return times.split(',').map((time) => ({ weekday, time }))
  })
}

/** On a terminal, and in CSV, each slot is a line. */
function printSlots(cli: Cli, answer: PostingSlots): void {
  if (['table', 'csv'].includes(cli.format())) printList(cli, answer.slots, SLOTS)
  else printObject(cli, answer)
}
