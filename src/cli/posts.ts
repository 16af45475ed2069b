import { type Command, Option } from 'commander'
import type { NewScheduledPost, PostChange, PostStatus, ScheduledPost, ScheduledPostPatch } from '../client/index.js'
import { FIRST_STATUSES, POST_STATUSES } from '../interface/post-status.js'
import { api, operator } from './client.js'
import { confirm, readJsonObject, toInstant, toWholeNumber } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { collect, collectFirst, type ListView, note, printLine, printList, printObject } from './output.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'

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
  const found = await collectFirst(walk, wanted + 1)
  printList(cli, found.slice(0, wanted), LIST)
  if (found.length <= wanted) return
  const place = others.offset === undefined ? `the first ${wanted}` : `${wanted} of them`
  note(cli, `These are ${place}: --all shows every post${wanted < SHOWN.max ? `, --limit up to ${SHOWN.max}` : ''}.`)
}

export function addPosts(program: Command, cli: Cli): void {
  const posts = program.command('posts').description('scheduled posts, from draft to published')

  posts
    .command('list')
    .description('list the posts, the soonest first')
    .addOption(new Option('--status <status>', 'only posts in this status').choices(POST_STATUSES))
    .option('--channel <channel>', 'only posts on this channel')
    .option('--limit <number>', 'posts to show: 50 by default, at most 200', toWholeNumber)
    .option('--offset <number>', 'posts to skip', toWholeNumber)
    .addOption(new Option('--all', 'all posts').conflicts(['limit', 'offset']))
    .addHelpText('after', example('greenroom posts list --status SCHEDULED'))
    .action((options: ListOptions) => listPosts(cli, options))

  posts
    .command('get <post>')
    .description('show a post')
    .addHelpText('after', example('greenroom posts get post_9Xw2Kd'))
    .action(async (id: string) => printPost(cli, await api(cli).scheduledPosts.get(id)))

  addFields(posts.command('create'))
    .description('create a post, as a draft unless --status is given')
    .addOption(new Option('--status <status>', 'its first status').choices(FIRST_STATUSES))
    .option('--idempotency-key <key>', 'create it once: a repeat within 24 hours answers with the first result')
    .option('--quiet', 'print only its id')
    .addHelpText(
      'after',
      example(
        "greenroom posts create --scheduled-for +1h --media https://cdn.example/latte.jpg --channel FB_PAGE_104512883716042='Autumn latte is back'",
      ),
    )
    .action(async ({ idempotencyKey, quiet, ...fields }: FieldOptions & { idempotencyKey?: string; quiet?: true }) => {
      const body = (await readFields(cli, fields)) as NewScheduledPost
      // An empty draft is what --data '{}' asks for.
      if (fields.data === undefined && Object.keys(body).length === 0) {
        throw new CliError(
          2,
          'Say what to post: --channel CHANNEL=CAPTION, --media URL and --scheduled-for TIME; or the whole of it with --data.',
        )
      }
      const post = await api(cli).scheduledPosts.create(body, { idempotencyKey })
      if (quiet) printLine(cli, post.id)
      else printPost(cli, post)
    })

  addFields(posts.command('update <post>'))
    .description('change the given fields of a post; a channel that is not named stays as it is')
    .addOption(new Option('--status <status>', 'take a rejected post back to draft').choices(['DRAFT']))
    .addHelpText('after', example('greenroom posts update post_9Xw2Kd --scheduled-for +3d'))
    .action(async (id: string, fields: FieldOptions) => {
      const body = (await readFields(cli, fields)) as ScheduledPostPatch
      if (fields.data === undefined && Object.keys(body).length === 0) {
        throw new CliError(2, 'Say what to change, such as --scheduled-for +1h: greenroom help posts update lists it.')
      }
      printPost(cli, await api(cli).scheduledPosts.update(id, body))
    })

  const addStep = (verb: string, step: 'submitForApproval' | 'revert', description: string): void => {
    posts
      .command(`${verb} <post>`)
      .description(description)
      .addHelpText('after', example(`greenroom posts ${verb} post_9Xw2Kd`))
      .action(async (id: string) => printPost(cli, await api(cli).scheduledPosts[step](id)))
  }
  addStep('submit', 'submitForApproval', 'submit a post for approval')
  addStep('revert', 'revert', 'take a scheduled post back to draft')

  posts
    .command('reject <post>')
    .description('send a post back to its author')
    .requiredOption('--notes <text>', 'the reason')
    .addHelpText('after', example("greenroom posts reject post_9Xw2Kd --notes 'Name the closing date.'"))
    .action(async (id: string, { notes }: { notes: string }) =>
      printPost(cli, await api(cli).scheduledPosts.reject(id, { notes })),
    )

  addSureOption(posts.command('delete <post>'))
    .description('delete a post that is not published')
    .addHelpText('after', example('greenroom posts delete post_9Xw2Kd --yes'))
    .action(async (id: string, options: SureOption) => {
      await confirmRemoval(cli, [`The post ${id} goes.`], options)
      printObject(cli, await api(cli).scheduledPosts.delete(id))
    })

  posts
    .command('approve <organization> <post>')
    .description('as the operator: approve the version of a post that is shown; it is published at its time')
    .option('--yes', 'approve the post as it is now, without asking')
    .addOption(new Option('--if-match <etag>', 'approve only the version with this ETag').conflicts('yes'))
    .addHelpText('after', example('greenroom posts approve org_5V3kPq post_9Xw2Kd'))
    .action(async (organization: string, id: string, options: { yes?: true; ifMatch?: string }) => {
      const { scheduledPosts } = operator(cli)
      const ifMatch = options.ifMatch ?? (await confirmApproval(cli, organization, id, options.yes ?? false))
      printPost(cli, await scheduledPosts.approve(organization, id, { ifMatch }))
    })

  posts
    .command('retry <organization> <post>')
    .description('as the operator: give a failed post a new time; channels on which it is published stay as they are')
    .requiredOption('--scheduled-for <time>', 'ISO 8601 in UTC, or from now on: +90s, +5m, +2h, +3d')
    .addHelpText('after', example('greenroom posts retry org_5V3kPq post_9Xw2Kd --scheduled-for +5m'))
    .action(async (organization: string, id: string, options: { scheduledFor: string }) => {
      const scheduledFor = toInstant(cli, options.scheduledFor)
      printPost(cli, await operator(cli).scheduledPosts.retry(organization, id, { scheduledFor }))
    })

  posts
    .command('history <organization> <post>')
    .description('as the operator: every change of a post, by whom and why')
    .addHelpText('after', example('greenroom posts history org_5V3kPq post_9Xw2Kd'))
    .action(async (organization: string, id: string) =>
      printList(cli, await collect(operator(cli).scheduledPosts.historyAll(organization, id)), HISTORY),
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

function addFields(command: Command): Command {
  const collect = (value: string, before: string[]): string[] => [...before, value]
  return command
    .option('--media <url>', 'the image or video')
    .addOption(new Option('--media-type <type>', 'its type').choices(['IMAGE', 'VIDEO']))
    .option('--scheduled-for <time>', 'ISO 8601 in UTC, or from now on: +90s, +5m, +2h, +3d')
    .option('--notes <text>', 'notes for the team')
    .option('--channel <channel=caption>', 'a channel and its caption; may be repeated', collect, [])
    .option('--superpower <channel=json>', 'its superpower: JSON, @file, or - for stdin; may be repeated', collect, [])
    .option('--data <json>', 'the whole body in place of the fields: JSON, @file, or - for stdin')
}

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
function printPost(cli: Cli, post: ScheduledPost): void {
  if (cli.format() !== 'table') {
    printObject(cli, post)
    return
  }
  const { mediumsData, orgId, type, ...fields } = post
  const channels = Object.entries(mediumsData).map(([id, { caption, superpower, failedToPublish }]) => {
    const marks = [failedToPublish ? 'failed to publish' : undefined, superpower?.hashtag].filter(Boolean)
    return [id, `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${caption ?? '-'}`]
  })
  printObject(cli, { ...fields, ...Object.fromEntries(channels) })
}
