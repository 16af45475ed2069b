import { type Command, Option } from 'commander'
import type { CommentEffect, DecidedComment, ExplainRequest, Explanation, Superpower } from '../client/index.js'
import { addTo, definedOnly, readJsonObject, toWholeNumber } from './input.js'
import { type Cli, CliError } from './io.js'
import { collect, first, type ListView, note, printJson, printList } from './output.js'
import { row, type TableCall } from './table-command.js'

interface Options {
  file?: string
  id?: string
  post?: string
  channel?: string
  last?: number
  type?: ChannelType
  comment: string[]
}

type ChannelType = ExplainRequest['channelType']
const TYPES: ChannelType[] = ['FB_PAGE', 'INSTAGRAM_ACCOUNT']
const LAST = { fallback: 100, max: 200 }

const addOptions = (command: Command): Command =>
  command
    .option('--file <file>', 'the superpower as a JSON file, or - for stdin')
    .option('--id <id>', 'a saved superpower, by its creativeTemplateId')
    .option('--post <post>', 'the superpower of a post, and its comments')
    .option('--channel <channel>', 'with --post: the channel, if several have a superpower')
    .option('--last <number>', `with --post: the number of its newest comments, at most ${LAST.max}`, toWholeNumber)
    .addOption(new Option('--type <type>', 'the type of the channel; not with --post').choices(TYPES))
    .option('--comment <text>', 'a comment; may be repeated, and each is from a different person', addTo, [])

export const EXPLAIN = row('explain [organization]', 'explainSuperpower', {
  key: true,
  description:
    'show what a superpower would do about comments, and which of its parts are not executed; nothing is sent',
  sample: "--id template_4Rt8Qs --type FB_PAGE --comment 'I want it'",
  fields: '',
  extend: addOptions,
  run: explain,
})

async function explain(call: TableCall): Promise<void> {
  const { cli, body, send } = call
  const { file, id, post } = call.options as unknown as Options
  if ([file, id, post].filter((from) => from !== undefined).length !== 1) {
    throw new CliError(2, 'Add one of --file, --id and --post.')
  }
  Object.assign(body, post === undefined ? await readGiven(call) : await readFromPost(call, post))
  const explanation = await send()
  if (['json', 'ndjson'].includes(cli.format())) printJson(cli, explanation)
  else printForPeople(cli, explanation)
}

const toComments = (texts: readonly string[]): ExplainRequest['comments'] => texts.map((text) => ({ text }))

async function readGiven(call: TableCall): Promise<ExplainRequest> {
  const { file, id, channel, last, type, comment } = call.options as unknown as Options
  if (channel !== undefined || last !== undefined) throw new CliError(2, '--channel and --last need --post.')
  if (type === undefined) throw new CliError(2, `Add --type: ${TYPES.join(' or ')}.`)
  const superpower =
    file === undefined
      ? await readSaved(call, id!)
      : await readJsonObject(call.cli, file === '-' ? file : `@${file}`, '--file')
  return { superpower, channelType: type, comments: toComments(comment) }
}

async function readSaved({ client, ids }: TableCall, id: string): Promise<Superpower> {
  const list = ids.organizationId === undefined ? 'listSuperpowers' : 'listOrganizationSuperpowers'
  for await (const { creativeTemplateId, superpower } of client.items(list, ids)) {
    if (creativeTemplateId === id) return superpower
  }
  throw new CliError(1, `There is no saved superpower ${id}: see \`greenroom superpowers list\`.`)
}

/** Reads the superpower of a post and its newest comments, and puts these before the given comments. */
async function readFromPost({ client, ids, options }: TableCall, post: string): Promise<ExplainRequest> {
  const { channel, last, type, comment } = options as unknown as Options
  if (type !== undefined) throw new CliError(2, 'With --post, the type is that of the channel: omit --type.')
  const wanted = last ?? LAST.fallback
  if (wanted > LAST.max - comment.length)
    throw new CliError(2, `At most ${LAST.max} comments can be explained at once.`)
  const at = { ...ids, scheduledPostId: post }
  const { mediumsData } = await client.call('getScheduledPost', at)
  const acting = Object.entries<{ superpower?: Superpower }>(mediumsData).filter(
    ([channelId, { superpower }]) => superpower !== undefined && channelId === (channel ?? channelId),
  )
  const [channelId, chosen] = acting[0] ?? []
  if (channelId === undefined) throw new CliError(1, `The post ${post} has no superpower${channel ? ' there' : ''}.`)
  if (acting.length > 1) throw new CliError(2, `Add --channel: ${acting.map(([id]) => id).join(' or ')}.`)
  const seen = await collect(first(asked(client.items('listPostComments', { ...at, query: { channelId } })), wanted))
  return {
    superpower: chosen!.superpower!,
    channelType: TYPES.find((each) => channelId.startsWith(each))!,
    comments: [...seen.map(toCommentToExplain), ...toComments(comment)],
  }
}

/** Skips comments of the channel itself and the replies to them, because superpowers do not handle these. */
async function* asked(comments: AsyncIterable<DecidedComment>): AsyncGenerator<DecidedComment> {
  for await (const comment of comments) if (!['own_comment', 'reply_to_us'].includes(comment.reason)) yield comment
}

const toCommentToExplain = ({ commentId, text, from, at }: DecidedComment): ExplainRequest['comments'][number] => ({
  ...{ commentId, text: text ?? '', at },
  from: definedOnly({ id: from.id ?? undefined, name: from.name ?? undefined }),
})

/** Prints the comments as a table, and everything else as remarks. */
function printForPeople(cli: Cli, explanation: Explanation): void {
  const { comments, notExecuted, warnings } = explanation
  if (comments.length > 0) printList(cli, comments, VIEW)
  for (const { path, reason } of notExecuted) note(cli, `Not executed: ${path}. ${reason}`)
  for (const warning of warnings) note(cli, `Warning: ${warning}`)
}

const VIEW: ListView<Explanation['comments'][number]> = {
  columns: ['group', 'reason', 'raffle', 'comment', 'effects'],
  noun: 'comments',
  // Group numbers start at 1 here, as in the sentences.
  toRow: ({ group, reason, entersRaffle, text, effects }) => ({
    ...{ group: group === null ? null : group + 1, reason, raffle: entersRaffle, comment: text },
    effects: effects.map(tell).join('; '),
  }),
}

function tell({ effect, reason, text }: CommentEffect): string {
  const name = effect.replace('_', ' ')
  if (reason !== null) return `no ${name} (${reason})`
  return text === null ? name : `${name}: ${text}`
}
