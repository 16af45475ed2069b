import { type Command, Option } from 'commander'
import type { CommentEffect, DecidedComment, ExplainRequest, Explanation, Superpower } from '../client/index.js'
import { api, byKey } from './client.js'
import { addCommand } from './command.js'
import { addTo, definedOnly, readJsonObject, toWholeNumber } from './input.js'
import { type Cli, CliError } from './io.js'
import { collect, first, type ListView, note, printJson, printList } from './output.js'

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

export function addExplain(program: Command, cli: Cli): void {
  addCommand(
    program,
    'superpowers explain [organization]',
    'tell what a superpower would do about comments, and what of it is not executed; nothing is sent',
    "org_5V3kPq --id template_4Rt8Qs --type FB_PAGE --comment 'I want it'",
    async (organization: string | undefined, options: Options) => {
      const given = [options.file, options.id, options.post].filter((from) => from !== undefined)
      if (given.length !== 1) throw new CliError(2, 'Give one of --file, --id and --post.')
      const { post, ...others } = options
      const body =
        post === undefined
          ? await readGiven(cli, organization, others)
          : await readFromPost(cli, organization, { ...options, post })
      const explanation = await (organization === undefined
        ? byKey(cli).superpowers.explain(body)
        : api(cli).call('explainSuperpower', { organizationId: organization, body }))
      if (['json', 'ndjson'].includes(cli.format())) printJson(cli, explanation)
      else printForPeople(cli, explanation)
    },
  )
    .option('--file <file>', 'the superpower: a file with its JSON, or - for stdin')
    .option('--id <id>', 'a saved superpower, by its creativeTemplateId')
    .option('--post <post>', 'the superpower of a post, and the comments that were seen there')
    .option('--channel <channel>', 'with --post: the channel, where several have a superpower')
    .option('--last <number>', `with --post: so many of its newest comments, ${LAST.max} at most`, toWholeNumber)
    .addOption(new Option('--type <type>', 'the type of the channel; that of the post with --post').choices(TYPES))
    .option('--comment <text>', 'a comment, each of another person; may be repeated', addTo, [])
}

const toComments = (texts: readonly string[]): ExplainRequest['comments'] => texts.map((text) => ({ text }))

async function readGiven(
  cli: Cli,
  organization: string | undefined,
  { file, id, channel, last, type, comment }: Options,
): Promise<ExplainRequest> {
  if (channel !== undefined || last !== undefined) throw new CliError(2, '--channel and --last go with --post.')
  if (type === undefined) throw new CliError(2, `Give --type: ${TYPES.join(' or ')}.`)
  const superpower =
    file === undefined
      ? await readSaved(cli, organization, id!)
      : await readJsonObject(cli, file === '-' ? file : `@${file}`, '--file')
  return { superpower, channelType: type, comments: toComments(comment) }
}

async function readSaved(cli: Cli, organization: string | undefined, id: string): Promise<Superpower> {
  const saved =
    organization === undefined
      ? byKey(cli).superpowers.listAll()
      : api(cli).items('listOrganizationSuperpowers', { organizationId: organization })
  for await (const { creativeTemplateId, superpower } of saved) if (creativeTemplateId === id) return superpower
  throw new CliError(1, `There is no saved superpower ${id}: see \`greenroom superpowers list\`.`)
}

/** The superpower of a post, and the newest comments that were seen there, before those that are given. */
async function readFromPost(
  cli: Cli,
  organization: string | undefined,
  { post, channel, last, type, comment }: Options & { post: string },
): Promise<ExplainRequest> {
  if (type !== undefined) throw new CliError(2, '--type is that of the channel with --post.')
  const wanted = last ?? LAST.fallback
  if (wanted > LAST.max - comment.length)
    throw new CliError(2, `No more than ${LAST.max} comments are explained at once.`)
  const { mediumsData } =
    organization === undefined
      ? await byKey(cli).scheduledPosts.get(post)
      : await api(cli).call('getScheduledPost', { organizationId: organization, scheduledPostId: post })
  const acting = Object.entries(mediumsData).filter(
    ([channelId, { superpower }]) => superpower !== undefined && channelId === (channel ?? channelId),
  )
  const [channelId, chosen] = acting[0] ?? []
  if (channelId === undefined) throw new CliError(1, `The post ${post} has no superpower${channel ? ' there' : ''}.`)
  if (acting.length > 1) throw new CliError(2, `Give --channel: ${acting.map(([id]) => id).join(' or ')}.`)
  const seen = await collect(first(asked(listSeen(cli, organization, { post, channelId })), wanted))
  return {
    superpower: chosen!.superpower!,
    channelType: TYPES.find((each) => channelId.startsWith(each))!,
    comments: [...seen.map(toCommentToExplain), ...toComments(comment)],
  }
}

const listSeen = (
  cli: Cli,
  organization: string | undefined,
  { post, channelId }: { post: string; channelId: string },
): AsyncIterable<DecidedComment> =>
  organization === undefined
    ? byKey(cli).scheduledPosts.commentsAll(post, { channelId })
    : api(cli).items('listPostComments', {
        ...{ organizationId: organization, scheduledPostId: post },
        query: { channelId },
      })

/** Comments of the channel itself, and what answers these, are not decided by the superpower. */
async function* asked(comments: AsyncIterable<DecidedComment>): AsyncGenerator<DecidedComment> {
  for await (const comment of comments) if (!['own_comment', 'reply_to_us'].includes(comment.reason)) yield comment
}

const toCommentToExplain = ({ commentId, text, from, at }: DecidedComment): ExplainRequest['comments'][number] => ({
  ...{ commentId, text: text ?? '', at },
  from: definedOnly({ id: from.id ?? undefined, name: from.name ?? undefined }),
})

/** The comments as a list, and the rest as remarks beside it. */
function printForPeople(cli: Cli, explanation: Explanation): void {
  const { comments, notExecuted, warnings } = explanation
  if (comments.length > 0) printList(cli, comments, VIEW)
  for (const { path, reason } of notExecuted) note(cli, `Not executed: ${path}. ${reason}`)
  for (const warning of warnings) note(cli, `Warning: ${warning}`)
}

const VIEW: ListView<Explanation['comments'][number]> = {
  columns: ['group', 'reason', 'raffle', 'comment', 'effects'],
  noun: 'comments',
  // Groups are counted from 1 here, as the sentences do.
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
