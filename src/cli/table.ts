import type {
  DecidedComment,
  DiscussionActor,
  DiscussionChange,
  DiscussionMessage,
  OrganizationChannel,
  SavedSuperpower,
  Segment,
  Webhook,
} from '../client/index.js'
import { MEMBERS, USERS } from './accounts.js'
import { CONVERSATIONS } from './conversations.js'
import { DELETE_ORGANIZATION } from './delete-organization.js'
import { EXPLAIN } from './explain-superpower.js'
import { readSecret } from './input.js'
import { type Cli, CliError } from './io.js'
import { KEYS } from './keys.js'
import { printList, printObject } from './output.js'
import { POSTS } from './posts.js'
import { RAFFLE } from './raffle.js'
import { sendFile } from './send-file.js'
import { SERVER } from './server.js'
import { SLOTS } from './slots.js'
import { PURCHASES, SOURCES } from './sources.js'
import { group, row, type TableCall, type TableGroup } from './table-command.js'
import { AUDIENCE_GROUP, VIP_USERS } from './vip-users.js'

const nameOf = ({ name, type }: DiscussionActor): string => name ?? type

type State = Pick<DiscussionMessage, 'deletedAt' | 'resolvedAt' | 'editedAt'>
const stateOf = ({ deletedAt, resolvedAt, editedAt }: State): string | undefined =>
  deletedAt ? 'deleted' : resolvedAt ? 'resolved' : editedAt && 'edited'

/** Shortens the subscription of a channel to one text. It is missing for callers with a key, which cannot see it. */
function toChannelRow(channel: Partial<OrganizationChannel>) {
  const { state, problem = null } = channel.subscription ?? {}
  return { ...channel, subscription: problem === null ? state : `${state}: ${problem}` }
}

/** A superpower is too long for one line, so the table shows its hashtag. */
const SUPERPOWERS = {
  columns: ['creativeTemplateId', 'active', 'hashtag', 'name'],
  noun: 'superpowers',
  toRow: ({ superpower, ...row }: SavedSuperpower) => ({ ...row, hashtag: superpower.hashtag }),
}

function showSuperpower(cli: Cli, saved: SavedSuperpower): void {
  if (cli.format() === 'table') printList(cli, [saved], SUPERPOWERS)
  else printObject(cli, saved)
}

/** Shortens each effect, for example to `private_reply done`. */
const toCommentRow = ({ from, effects, ...row }: DecidedComment) => ({
  ...row,
  from: from.name ?? from.id,
  effects: effects
    .map(({ effect, state, reason }) => [effect, state, ...(reason === null ? [] : [`(${reason})`])].join(' '))
    .join('; '),
})

async function changeVips({ cli, body, send }: TableCall): Promise<void> {
  if (Object.keys(body).length === 0) throw new CliError(2, 'Add --mark or --unmark with ids.')
  const changed = await send()
  printObject(cli, changed)
  const { missing } = changed
  if (missing.length > 0) throw new CliError(1, `The channel does not have these conversations: ${missing.join(', ')}.`)
}

/** Reads an access token of the platform from stdin if no file is given. */
async function readToken({ cli, body }: TableCall): Promise<void> {
  body.accessToken ??= await readSecret(cli, undefined, { prompt: 'Access token', noun: 'access token' })
}

/** Creates a command that sends a file. `whenLost` is the advice if the connection breaks during the upload. */
const uploader =
  (operation: 'uploadMedia' | 'uploadSmallPicture', whenLost: string) =>
  async ({ cli, client, ids, query, given }: TableCall): Promise<void> => {
    const send = (body: AsyncIterable<Uint8Array>) => client.call(operation, { ...ids, query, body })
    printObject(cli, await sendFile(cli, given.file!, send, whenLost))
  }

/** Switches automation for one channel, or for the whole organization. */
async function switchAutomation({ cli, client, ids, body, send }: TableCall): Promise<void> {
  const { organizationId, channelId } = ids
  const sendForAll = () => client.call('updateOrganization', { organizationId, body })
  printObject(cli, await (channelId === undefined ? sendForAll() : send()))
}

/**
 * The plain commands, in the order of the help. Each calls one operation. Its arguments are the parameters of the path, and
 * its options are the fields of the query and the body.
 */
export const TABLE: readonly TableGroup[] = [
  group('organizations', 'the tenants of the server', [
    row('create <name>', 'createOrganization', { sample: "'Café Lumière'", quiet: true }),
    row('list', 'listOrganizations', { columns: 'id active createdAt name' }),
    row('update', 'updateOrganization', { sample: '--currency EUR --language pt' }),
    row('rename <name>', 'updateOrganization', { description: 'rename an organization', sample: "'Café Aurore'" }),
    row('activate', 'updateOrganization', {
      set: { active: true },
      description: 'accept the keys of an organization again',
    }),
    row('deactivate', 'updateOrganization', {
      set: { active: false },
      description:
        'refuse all calls with keys of an organization (402), and stop publishing its posts, until it is activated',
    }),
    DELETE_ORGANIZATION,
  ]),
  KEYS,
  group('operator-tokens', 'tokens of the operator, in addition to OPERATOR_TOKEN', [
    row('issue <name>', 'issueOperatorToken', { sample: 'anna --expires +90d' }),
    row('list', 'listOperatorTokens', { columns: 'name createdAt expiresAt revokedAt' }),
    row('revoke', 'revokeOperatorToken', {
      warning: 'Calls with the token {name} will be refused, and its name cannot be used again.',
    }),
  ]),
  group('workspaces', 'the workspaces of an organization', [
    row('create <name>', 'createWorkspace', { sample: "'Paris' --type VIP", quiet: true }),
    row('rename <name>', 'updateWorkspace', { sample: "'Lyon'" }),
    row('delete', 'deleteWorkspace', {
      warning: 'This deletes the workspace {workspace}, its VIP marks and its connections to channels.',
      totals: 'vipMarks',
    }),
    row('list [organization]', 'listWorkspaces', { key: true, columns: 'id type name' }),
  ]),
  group('channels', 'the channels of an organization', [
    row('create', 'createChannel', { sample: "--type FB_PAGE --platform-id 104512883716042 --name 'Café Lumière'" }),
    row('list [organization]', 'listOrganizationChannels', {
      key: 'listChannels',
      columns: 'id type status subscription name',
      dropFirst: 'type subscription',
      view: { toRow: toChannelRow },
    }),
    row('update', 'updateChannel', { sample: '--per-hour 100' }),
    row('rename <name>', 'updateChannel', { description: 'rename a channel', sample: "'Café Aurore'" }),
    row('delete', 'deleteChannel', {
      warning: 'This deletes the channel {channel} with its conversations, VIP marks, access token and connections.',
      totals: 'conversations failedPosts publishingPosts',
    }),
    row('connect <channel> <workspace>', 'connectChannel'),
    row('disconnect <channel> <workspace>', 'disconnectChannel', {
      warning:
        'This deletes the VIP marks of {workspace} on {channel}. Connecting the channel again does not restore them.',
    }),
    row('connect-platform', 'updateChannel', {
      description: 'connect a channel to its platform with the access token of its page, read from stdin or a file',
      sample: '< token.txt',
      fields: 'accessToken! check',
      fill: readToken,
    }),
    row('disconnect-platform', 'updateChannel', {
      set: { accessToken: null },
      description: 'remove the access token of a channel, which stops publishing to it',
      warning: 'This removes the access token of {channel}. Posts to it fail without one.',
    }),
  ]),
  group('ad-accounts', 'the ad accounts of an organization', [
    row('create <id>', 'createAdAccount', {
      sample: "act_23846105 --name 'Café ads' --currency EUR --timezone Europe/Paris",
    }),
    row('update', 'updateAdAccount', { sample: '--currency EUR' }),
    row('delete', 'deleteAdAccount', { warning: 'This deletes the ad account {ad-account} and its access token.' }),
    row('list [organization]', 'listOrganizationAdAccounts', {
      key: 'listAdAccounts',
      columns: 'id currency timezone connected name',
    }),
    row('connect', 'updateAdAccount', {
      description: 'connect an ad account to the platform with its access token, read from stdin or a file',
      sample: '< token.txt',
      fields: 'accessToken! check',
      fill: readToken,
    }),
    row('disconnect', 'updateAdAccount', {
      set: { accessToken: null },
      description: 'remove the access token of an ad account',
      warning: 'This removes the access token of {ad-account}. Without one there are no insights.',
    }),
  ]),
  group('vips', "the VIPs of a workspace's channel", [
    row('mark', 'markVip'),
    row('unmark', 'unmarkVip', { isUndoable: true }),
    row('change', 'changeVipMarks', { sample: '--mark t_7781203 t_7781204 --unmark t_7781205', run: changeVips }),
    row('of', 'listPersonVipMarks', { columns: 'workspaceId channelId conversationId at by', noun: 'marks' }),
  ]),
  VIP_USERS,
  AUDIENCE_GROUP,
  CONVERSATIONS,
  group('people', 'the people of conversations, by their cuid', [
    row('erase', 'erasePerson', {
      warning:
        'This deletes every conversation of {cuid} in every channel of {organization}, with its VIP marks. Imports will skip this person.',
      totals: 'conversations vipMarks',
    }),
    row('readmit', 'readmitPerson'),
    row('show', 'getPerson'),
    row('search <search>', 'searchPeople', {
      columns: 'cuid channelId conversationId firstName lastName userName',
      noun: 'conversations',
      sample: 'ada',
    }),
    row('link <kind> <id>', 'linkPerson', { sample: 'shopify 207119551' }),
    row('unlink', 'unlinkPerson', { isUndoable: true }),
  ]),
  group('segments', 'the saved segments of an audience', [
    row('create <name>', 'createSegment', {
      sample: `'Best and quiet' --conditions '{"valueAbove":500,"noPurchaseForDays":90}'`,
    }),
    row('list', 'listSegments', {
      columns: 'id name conditions',
      view: { toRow: ({ conditions, ...row }: Segment) => ({ ...row, conditions: JSON.stringify(conditions) }) },
    }),
    row('update', 'updateSegment', { sample: "--name 'Best customers'" }),
    row('delete', 'deleteSegment', { warning: 'This deletes the segment {segment}. The people in it stay.' }),
  ]),
  group('media', 'uploaded images and videos for posts', [
    row('upload <file>', 'uploadMedia', {
      description: 'upload an image or a video (- for stdin), and show its URL',
      sample: 'spring.jpg',
      run: uploader('uploadMedia', 'Nothing was stored: send the file again.'),
    }),
    row('small-picture <file>', 'uploadSmallPicture', {
      description: 'add the small JPEG that lists show for an uploaded file, or the poster of a video',
      sample: 'poster.jpg',
      run: uploader('uploadSmallPicture', 'Send it again.'),
    }),
    row('uses <ids>', 'listMediaUses', {
      columns: 'mediaId scheduledPostId status',
      noun: 'posts',
      sample: 'media_7Tq2Wd',
    }),
    row('list', 'listMedia', {
      columns: 'id contentType width height bytes createdAt url',
      dropFirst: 'url createdAt',
      noun: 'files',
    }),
    row('delete', 'deleteMedia', { warning: 'This deletes the uploaded file {media}.' }),
  ]),
  POSTS,
  SLOTS,
  group('review-links', 'links for people without an account to approve or return posts', [
    row('create <name>', 'createReviewLink', { sample: "'Anna of the agency' --post post_9Xw2Kd post_4Tb9Wn" }),
    row('send <name>', 'sendReviewLink', { sample: "'Anna' --mail anna@agency.example --post post_9Xw2Kd" }),
    row('list', 'listReviewLinks', {
      columns: 'id name posts decided expiresAt openedAt email',
      dropFirst: 'openedAt email',
      defaultLimit: 50,
    }),
    row('revoke', 'revokeReviewLink', { warning: 'The link {link} will stop working.' }),
  ]),
  group('texts', 'saved texts and groups of hashtags for posts', [
    row('create <name>', 'createSavedText', {
      sample: "'Opening hours' --text 'Open from 8 to 6.'",
      fill({ body }) {
        body.kind ??= 'TEXT'
      },
    }),
    row('list', 'listSavedTexts', { columns: 'id kind name text', dropFirst: 'kind', noun: 'saved texts' }),
    row('update', 'updateSavedText', { sample: "--name 'Hours in summer'" }),
    row('delete', 'deleteSavedText', { warning: 'This deletes the saved text {saved-text}.' }),
  ]),
  group('discussions', 'the discussions of posts', [
    row('list', 'listDiscussionMessages', {
      columns: 'id replyTo createdAt author text state',
      dropFirst: 'createdAt replyTo',
      noun: 'messages',
      view: {
        toRow: ({ author, ...message }: DiscussionMessage) => ({
          ...message,
          author: nameOf(author),
          state: stateOf(message),
        }),
      },
    }),
    row('write', 'createDiscussionMessage', { sample: "--text 'Is the price right?'" }),
    row('edit', 'updateDiscussionMessage', { sample: "--text 'Is the new price right?'" }),
    row('delete', 'deleteDiscussionMessage', {
      warning: 'This deletes the text of the message {message} permanently.',
    }),
    row('resolve', 'resolveDiscussionMessage'),
    row('reopen', 'reopenDiscussionMessage'),
    row('history', 'listDiscussionHistory', {
      columns: 'at actor action messageId shared',
      dropFirst: 'shared',
      noun: 'changes',
      view: { toRow: ({ actor, ...change }: DiscussionChange) => ({ ...change, actor: nameOf(actor) }) },
    }),
  ]),
  group('superpowers', 'the saved superpowers that posts can use', [
    row('create <name>', 'createSuperpower', { sample: "'Raffle' --data @raffle.json", show: showSuperpower }),
    row('list [organization]', 'listOrganizationSuperpowers', {
      key: 'listSuperpowers',
      columns: SUPERPOWERS.columns.join(' '),
      view: { toRow: SUPERPOWERS.toRow },
    }),
    row('update', 'updateSuperpower', { sample: '--data @raffle.json', show: showSuperpower }),
    row('rename <name>', 'updateSuperpower', {
      description: 'rename a saved superpower; posts that already have it keep the old name',
      sample: "'Spring raffle'",
      show: showSuperpower,
    }),
    row('activate', 'updateSuperpower', {
      set: { active: true },
      description: 'let posts use a saved superpower again',
      show: showSuperpower,
    }),
    row('deactivate', 'updateSuperpower', {
      set: { active: false },
      description: 'stop posts from using a saved superpower; posts that already have it keep it',
      show: showSuperpower,
    }),
    row('delete', 'deleteSuperpower', {
      warning: 'This deletes the saved superpower {superpower}. Posts with a copy of it keep the copy.',
    }),
    EXPLAIN,
  ]),
  RAFFLE,
  group('automation', 'automated answers to comments: switches, decisions, stops, opt-outs', [
    row('switch <automation> [channel]', 'updateChannel', {
      description:
        'switch superpowers off, on, or to a dry run (shadow), for one channel or for the whole organization',
      sample: 'on FB_PAGE_104512883716042',
      run: switchAutomation,
    }),
    row('set', 'updateChannel', {
      fields: 'automatedNotice privateRepliesPerHour',
      description: "set the first line of a channel's automated private replies, and their maximum number per hour",
      sample: "--notice 'This is an automatic reply.'",
    }),
    row('comments', 'listPostComments', {
      key: true,
      columns: 'at from text group reason effects',
      noun: 'comments',
      view: { toRow: toCommentRow },
    }),
    row('report', 'getSuperpowerReport', { key: true, show: printObject }),
    row('stop', 'stopSuperpower', {
      sample: "--reason 'Sold out'",
      warning: 'This stops the superpower of {post} on {channel}, and frees its hashtag.',
    }),
    row('opt-outs', 'listOptOuts', { columns: 'fromId at source', noun: 'people' }),
    row('opt-out', 'addOptOut'),
    row('opt-in', 'removeOptOut', { isUndoable: true }),
  ]),
  SOURCES,
  PURCHASES,
  group('webhooks', "addresses that receive an organization's events", [
    row('add <url>', 'createWebhook', { sample: 'https://example.com/hooks/greenroom' }),
    row('list', 'listWebhooks', {
      columns: 'id name url events active',
      dropFirst: 'events name',
      view: { toRow: ({ events, ...row }: Webhook) => ({ ...row, events: events?.join(' ') ?? 'all' }) },
    }),
    row('update', 'updateWebhook', { sample: '--events post.failed,token.refused' }),
    row('rotate-secret', 'rotateWebhookSecret', {
      warning: '{webhook} gets a new secret. Deliveries are also signed with the previous one for one day.',
    }),
    row('remove', 'deleteWebhook', {
      warning: 'This deletes {webhook} and its secret. Deliveries on their way to it fail.',
    }),
    row('test', 'testWebhook'),
    row('deliveries', 'listWebhookDeliveries', {
      columns: 'id webhookId timestamp type status attempts lastStatus lastError',
      dropFirst: 'webhookId',
      noun: 'deliveries',
      defaultLimit: 50,
    }),
    row('delivery', 'getWebhookDelivery'),
    row('resend', 'resendWebhookDelivery'),
  ]),
  MEMBERS,
  group('invitations', 'links with which people join an organization', [
    row('create <mail>', 'createInvitation', {
      sample: 'zoe@example.com --role EDITOR',
    }),
    row('list', 'listInvitations', {
      columns: 'id role mayApprove expiresAt email',
    }),
    row('revoke', 'revokeInvitation', {
      warning: 'The link of {invitation} will stop working.',
    }),
  ]),
  USERS,
  group('sessions', 'the sessions of a person', [
    row('list', 'listPersonSessions', {
      columns: 'id method createdAt lastSeenAt address expiresAt userAgent',
      dropFirst: 'createdAt expiresAt',
    }),
    row('end', 'endPersonSessions', {
      warning: 'This signs {person} out everywhere. Unsaved work is lost.',
      remark: 'The person can sign in again. `greenroom users deactivate` prevents that.',
    }),
  ]),
  ...SERVER,
]
