import { type Command, Option } from 'commander'
import type { ChannelPatch, DecidedComment, OptOutKey } from '../client/index.js'
import { api, operator } from './client.js'
import { groupOf } from './command-group.js'
import { definedOnly, toWholeNumber } from './input.js'
import type { Cli } from './io.js'
import { type ListView, printObject } from './output.js'

const MODES = ['off', 'shadow', 'on'] as const
const POST = 'org_5V3kPq post_4Tb9Wn'
const PAGE = 'org_5V3kPq FB_PAGE_104512883716042'

/** Each effect in short, such as `private_reply done`. */
const COMMENTS: ListView<DecidedComment> = {
  columns: ['at', 'from', 'text', 'group', 'reason', 'effects'],
  noun: 'comments',
  toRow: ({ from, effects, ...row }) => ({
    ...row,
    from: from.name ?? from.id,
    effects: effects
      .map(({ effect, state, reason }) => [effect, state, ...(reason === null ? [] : [`(${reason})`])].join(' '))
      .join('; '),
  }),
}
const OPT_OUTS = { columns: ['fromId', 'at', 'source'], noun: 'people' }

/** The commands of superpowers that act: their switches, what they did, and the people whom none writes to. */
export function addAutomation(program: Command, cli: Cli): void {
  const about = 'what superpowers do about comments: switches, decisions, stops, opt-outs'
  const { add, print, list, remove } = groupOf(program, cli, 'automation', about)

  print(
    'switch <organization> <mode> [channel]',
    'switch superpowers off, to a dry run (shadow), or on: on one channel, or for the organization above all',
    'org_5V3kPq on FB_PAGE_104512883716042',
    (organization: string, mode: (typeof MODES)[number], channel?: string): Promise<object> =>
      channel === undefined
        ? operator(cli).organizations.update(organization, { automation: mode })
        : operator(cli).channels.update(organization, channel, { automation: mode }),
  )

  print(
    'set <organization> <channel>',
    'set what automated private replies of a channel begin with, and how many go out an hour',
    `${PAGE} --notice 'This is an automatic reply.'`,
    (organization: string, channel: string, options: { notice?: string; perHour?: number }) =>
      operator(cli).channels.update(organization, channel, toPatch(options)),
  )
    .option('--notice <text>', 'stands at the start of every automated private reply; empty for none')
    .option('--per-hour <number>', 'private replies an hour at most, 1 to 750', toWholeNumber)

  addReading(cli, { add, list })

  remove(
    'stop <organization> <post> <channel>',
    'stop the superpower of a post on a channel for good, and free its hashtag',
    `${POST} FB_PAGE_104512883716042 --reason 'Sold out' --yes`,
    (_organization: string, post: string, channel: string, _options: { reason: string }) => [
      `The superpower of ${post} on ${channel} acts no more, and its hashtag is free.`,
    ],
    (organization, post, channel, { reason }) =>
      operator(cli).scheduledPosts.stopSuperpower(organization, post, channel, { reason }),
  ).requiredOption('--reason <text>', 'why, for those who ask later')

  list(
    'opt-outs <organization> <channel>',
    'list the people who get no automated messages on a channel',
    PAGE,
    OPT_OUTS,
    (organization: string, channel: string) => operator(cli).optOuts.listAll(organization, channel),
  )
  const addOptOut = (verb: 'opt-out' | 'opt-in', does: string, method: 'add' | 'remove') =>
    print(
      `${verb} <organization> <channel> <person>`,
      does,
      `${PAGE} 6543210987654321`,
      (organization: string, channel: string, person: string): Promise<OptOutKey> =>
        operator(cli).optOuts[method](organization, channel, person),
    )
  addOptOut('opt-out', 'send a person no automated messages on a channel any more', 'add')
  addOptOut('opt-in', 'let a person get automated messages on a channel again', 'remove')
}

const toPatch = ({ notice, perHour }: { notice?: string; perHour?: number }): ChannelPatch =>
  definedOnly({ automatedNotice: notice === '' ? null : notice, privateRepliesPerHour: perHour })

/** The commands that read what superpowers did. Without an organization they ask with a key. */
function addReading(cli: Cli, { add, list }: Pick<ReturnType<typeof groupOf>, 'add' | 'list'>): void {
  const organization = (): Option => new Option('--organization <organization>', 'as the operator')
  list(
    'comments <post>',
    'list the comments of a post, newest first, each with its decision and what came of it',
    'post_4Tb9Wn --channel FB_PAGE_104512883716042',
    COMMENTS,
    (post: string, options: { organization?: string; channel?: string }) => {
      const query = definedOnly({ channelId: options.channel })
      return options.organization === undefined
        ? api(cli).scheduledPosts.commentsAll(post, query)
        : operator(cli).scheduledPosts.commentsAll(options.organization, post, query)
    },
  )
    .option('--channel <channel>', 'only comments on this channel')
    .addOption(organization())
  add(
    'report <post>',
    'count what the superpowers of a post did, by channel, group, effect and reply',
    'post_4Tb9Wn',
    async (post: string, options: { organization?: string }) =>
      printObject(
        cli,
        options.organization === undefined
          ? await api(cli).scheduledPosts.superpowers(post)
          : await operator(cli).scheduledPosts.superpowers(options.organization, post),
      ),
  ).addOption(organization())
}
