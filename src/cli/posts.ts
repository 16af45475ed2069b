import { type Command, Option } from 'commander'
import {
  type NewScheduledPost,
  NotFoundError,
  type PostChange,
  type PostStatus,
  type ScheduledPost,
  type ScheduledPostPatch,
} from '../client/index.js'
import type { PostWait } from '../interface/generated/types.js'
import { FIRST_STATUSES, POST_STATUSES } from '../interface/post-status.js'
import { api, operator } from './client.js'
import { groupOf } from './command-group.js'
import { addTo, confirm, readJsonObject, toInstant, toWholeNumber } from './input.js'
import { type Cli, CliError } from './io.js'
import { collect, first, type ListView, note, printList, printObject } from './output.js'
import { addPostPlans } from './post-plans.js'

interface FieldOptions {
  media?: string
  mediaType?: string
  scheduledFor?: string
  notes?: string
  channel: string[]
  superpower: string[]
  status?: string
  data?: string
}

interface ListOptions {
  status?: PostStatus
  channel?: string
  limit?: number
  offset?: number
  all?: true
}

const SHOWN = { fallback: 50, max: 200 }
const TIME = 'ISO 8601 in UTC, or from now on: +90s, +5m, +2h, +3d'

async function listPosts(cli: Cli, { channel, all, limit, ...others }: ListOptions): Promise<void> {
  const { scheduledPosts } = api(cli)
  const query = { ...others, mediumId: channel }
  if (all) {
    printList(cli, await collect(scheduledPosts.listAll(query)), LIST)
    return
  }
  const wanted = Math.min(limit ?? SHOWN.fallback, SHOWN.max)
  // One more than is shown tells whether there are more.
  const walk = scheduledPosts.listAll({ ...query, limit: wanted === 0 ? 0 : Math.min(wanted + 1, SHOWN.max) })
  const found = await collect(first(walk, wanted + 1))
  printList(cli, found.slice(0, wanted), LIST)
  if (found.length <= wanted) return
  const place = others.offset === undefined ? `the first ${wanted}` : `${wanted} of them`
  note(cli, `These are ${place}: --all shows every post${wanted < SHOWN.max ? `, --limit up to ${SHOWN.max}` : ''}.`)
}

/** The post, with why it waits where it is due. */
async function readPost(cli: Cli, id: string): Promise<ScheduledPost & { wait?: PostWait }> {
  const { scheduledPosts } = api(cli)
  const post = await scheduledPosts.get(id)
  if (post.status !== 'SCHEDULED' && post.status !== 'PUBLISHING') return post
  if (Date.parse(post.scheduledFor ?? '') > cli.clock.now()) return post
  const { wait } = await scheduledPosts.wait(id).catch((error) => {
    // A server of an earlier version does not know.
    if (error instanceof NotFoundError) return { wait: null }
    throw error
  })
  return wait === null ? post : { ...post, wait }
}

const POST = 'post_9Xw2Kd'
const OPERATOR_POST = `org_5V3kPq ${POST}`

export function addPosts(program: Command, cli: Cli): void {
  const posts = groupOf(program, cli, 'posts', 'scheduled posts, from draft to published', printPost)
  const { add, print } = posts
  const own = () => api(cli).scheduledPosts

  add('list', 'list the posts, the soonest first', '--status SCHEDULED', (options: ListOptions) =>
    listPosts(cli, options),
  )
    .addOption(new Option('--status <status>', 'only posts in this status').choices(POST_STATUSES))
    .option('--channel <channel>', 'only posts on this channel')
    .option('--limit <number>', 'posts to show: 50 by default, at most 200', toWholeNumber)
    .option('--offset <number>', 'posts to skip', toWholeNumber)
    .addOption(new Option('--all', 'all posts').conflicts(['limit', 'offset']))
  print('get <post>', 'show a post, and why it waits when it is late', POST, (id: string) => readPost(cli, id))

  addWriting(cli, posts)

  print('submit <post>', 'submit a post for approval', POST, (id: string) => own().submitForApproval(id))
  print('revert <post>', 'take a scheduled post back to draft', POST, (id: string) => own().revert(id))
  print(
    'reject <post>',
    'send a post back to its author',
    `${POST} --notes 'Name the closing date.'`,
    (id: string, { notes }: { notes: string }) => own().reject(id, { notes }),
  ).requiredOption('--notes <text>', 'the reason')
  posts.remove(
    'delete <post>',
    'delete a post that is not published',
    `${POST} --yes`,
    (id: string) => [`The post ${id} goes.`],
    (id) => own().delete(id),
  )

  addOperatorVerbs(cli, posts)
  addPostPlans(cli, posts)
}

type Posts = ReturnType<typeof groupOf<ScheduledPost>>

/** The commands that take the content of a post. */
function addWriting(cli: Cli, { print }: Posts): void {
  const refuseEmpty = (fields: FieldOptions, body: object, advice: string): void => {
    // An empty draft is what --data '{}' asks for.
    if (fields.data === undefined && Object.keys(body).length === 0) throw new CliError(2, advice)
  }

  addFields(
    print(
      'create',
      'create a post, as a draft unless --status is given',
      "--scheduled-for +1h --media https://cdn.example/latte.jpg --channel FB_PAGE_104512883716042='Autumn latte is back'",
      async ({ idempotencyKey, quiet, ...fields }: FieldOptions & { idempotencyKey?: string; quiet?: true }) => {
        const body: NewScheduledPost = await readFields(cli, fields)
        const advice =
          'Say what to post: --channel CHANNEL=CAPTION, --media URL and --scheduled-for TIME; or the whole of it with --data.'
        refuseEmpty(fields, body, advice)
        return api(cli).scheduledPosts.create(body, { idempotencyKey })
      },
    ),
  )
    .addOption(new Option('--status <status>', 'its first status').choices(FIRST_STATUSES))
    .option('--idempotency-key <key>', 'create it once: a repeat within 24 hours answers with the first result')
    .option('--quiet', 'print only its id')

  addFields(
    print(
      'update <post>',
      'change the given fields of a post; a channel that is not named stays as it is',
      `${POST} --scheduled-for +3d`,
      async (id: string, fields: FieldOptions) => {
        const body: ScheduledPostPatch = await readFields(cli, fields)
        const advice = 'Say what to change, such as --scheduled-for +1h: greenroom help posts update lists it.'
        refuseEmpty(fields, body, advice)
        return api(cli).scheduledPosts.update(id, body)
      },
    ),
  ).addOption(new Option('--status <status>', 'take a rejected post back to draft').choices(['DRAFT']))
}

/** The commands that take the operator's token. */
function addOperatorVerbs(cli: Cli, { print, list }: Posts): void {
  print(
    'approve <organization> <post>',
    'as the operator: approve the version of a post that is shown; it is published at its time',
    OPERATOR_POST,
    async (organization: string, id: string, options: { yes?: true; ifMatch?: string }) => {
      const ifMatch = options.ifMatch ?? (await confirmApproval(cli, organization, id, options.yes ?? false))
      return operator(cli).scheduledPosts.approve(organization, id, { ifMatch })
    },
  )
    .option('--yes', 'approve the post as it is now, without asking')
    .addOption(new Option('--if-match <etag>', 'approve only the version with this ETag').conflicts('yes'))

  print(
    'retry <organization> <post>',
    'as the operator: give a failed post a new time; channels on which it is published stay as they are',
    `${OPERATOR_POST} --scheduled-for +5m`,
    (organization: string, id: string, { scheduledFor }: { scheduledFor: string }) =>
      operator(cli).scheduledPosts.retry(organization, id, { scheduledFor: toInstant(cli, scheduledFor) }),
  ).requiredOption('--scheduled-for <time>', TIME)

  list(
    'history <organization> <post>',
    'as the operator: every change of a post, by whom and why',
    OPERATOR_POST,
    HISTORY,
    (organization: string, id: string) => operator(cli).scheduledPosts.historyAll(organization, id),
  )
}

/** Shows the post to the person who decides, and gives the ETag of what was shown. */
async function confirmApproval(cli: Cli, organization: string, id: string, isSure: boolean): Promise<string> {
  const post = await operator(cli).scheduledPosts.get(organization, id)
  if (!isSure) {
    printPost({ ...cli, stdout: cli.stderr, format: () => 'table' }, post)
    const answer = await confirm(cli, 'Approve this post?')
    if (answer === undefined) {
      throw new CliError(2, 'An approval is of what you have read: say --yes, or --if-match with the ETag of the post.')
    }
    if (!answer) throw new CliError(1, 'The post is not approved.')
  }
  if (post.etag === undefined) throw new CliError(1, 'The server sent no ETag, so there is no version to approve.')
  return post.etag
}

const addFields = (command: Command): Command =>
  command
    .option('--media <url>', 'the image or video')
    .addOption(new Option('--media-type <type>', 'its type').choices(['IMAGE', 'VIDEO']))
    .option('--scheduled-for <time>', TIME)
    .option('--notes <text>', 'notes for the team')
    .option('--channel <channel=caption>', 'a channel and its caption; may be repeated', addTo, [])
    .option('--superpower <channel=json>', 'its superpower: JSON, @file, or - for stdin; may be repeated', addTo, [])
    .option('--data <json>', 'the whole body in place of the fields: JSON, @file, or - for stdin')

async function readFields(cli: Cli, options: FieldOptions): Promise<Record<string, unknown>> {
  const { data, channel, superpower, scheduledFor, ...plain } = options
  const body: Record<string, unknown> = { ...plain }
  if (scheduledFor !== undefined) body.scheduledFor = toInstant(cli, scheduledFor)
  const channels: Record<string, Record<string, unknown>> = {}
  for (const each of channel) {
    const [id, caption] = splitPair(each, '--channel')
    channels[id] = { ...channels[id], caption }
  }
  for (const each of superpower) {
    const [id, json] = splitPair(each, '--superpower')
    channels[id] = { ...channels[id], superpower: await readJsonObject(cli, json, '--superpower') }
  }
  if (Object.keys(channels).length > 0) body.channels = channels
  if (data === undefined) return body
  if (Object.keys(body).length > 0) throw new CliError(2, '--data is the whole body: leave the other fields out.')
  return readJsonObject(cli, data, '--data')
}

function splitPair(given: string, option: string): [channel: string, value: string] {
  const at = given.indexOf('=')
  if (at < 1) throw new CliError(2, `${option} is CHANNEL=…, such as ${option} FB_PAGE_104512883716042=….`)
  return [given.slice(0, at), given.slice(at + 1)]
}

const LIST: ListView<ScheduledPost> = {
  columns: ['id', 'status', 'scheduledFor', 'channels', 'caption'],
  spare: ['channels'],
  noun: 'posts',
  toRow: ({ id, status, scheduledFor, mediumsData }) => ({
    id,
    status,
    scheduledFor,
    channels: Object.keys(mediumsData).length,
    caption: Object.values(mediumsData)[0]?.caption,
  }),
}

const HISTORY: ListView<PostChange> = {
  columns: ['at', 'actor', 'action', 'status', 'detail'],
  noun: 'changes',
  toRow: ({ at, actor, action, fromStatus, toStatus, detail }) => ({
    at,
    actor,
    action,
    status: fromStatus === toStatus ? toStatus : `${fromStatus ?? ''} → ${toStatus ?? ''}`.trim(),
    detail,
  }),
}

/** On a terminal each channel is a line. */
function printPost(cli: Cli, post: ScheduledPost & { wait?: PostWait }): void {
  if (cli.format() !== 'table') {
    printObject(cli, post)
    return
  }
  const { mediumsData, orgId, type, wait, ...fields } = post
  const channels = Object.entries(mediumsData).map(([id, { caption, superpower, failedToPublish }]) => {
    const marks = [failedToPublish ? 'failed to publish' : undefined, superpower?.hashtag].filter(Boolean)
    return [id, `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${caption ?? '-'}`]
  })
  printObject(cli, { ...fields, ...(wait && toWaitLines(wait)), ...Object.fromEntries(channels) })
}

function toWaitLines({ reason, text, nextAttemptAt, channels }: PostWait): Record<string, string> {
  const said = channels.flatMap(({ channelId, words }) => (words === undefined ? [] : [`${channelId}: ${words}`]))
  return {
    'waits for': `${reason}: ${text}`,
    ...(said.length > 0 && { 'what is said': said.join('; ') }),
    ...(nextAttemptAt && { 'next try': nextAttemptAt }),
  }
}
