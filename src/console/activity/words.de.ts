import { postWords } from '../posts/words.ts'
import { common } from '../words.ts'

const { count } = common

/** The verbs of the change log, by operation; the name of the target follows. */
const DEEDS: Record<string, string> = {
  createScheduledPost: 'wrote',
  updateScheduledPost: 'changed',
  submitScheduledPostForApproval: 'asked for approval of',
  approveScheduledPost: 'approved',
  rejectScheduledPost: 'returned',
  revertScheduledPost: 'reverted to draft',
  retryScheduledPost: 'scheduled again',
  deleteScheduledPost: 'deleted the post',
  claimed: 'started to publish',
  published: 'published',
  failed: 'could not publish',
  uploadMedia: 'uploaded the file',
  deleteMedia: 'deleted the file',
  createSuperpower: 'saved the superpower',
  updateSuperpower: 'changed the superpower',
  deleteSuperpower: 'deleted the superpower',
  createOrganization: 'created the organization',
  updateOrganization: 'changed the organization',
  deleteOrganization: 'deleted the organization',
  issueKey: 'issued the key',
  revokeKey: 'revoked the key',
  removeRevokedKeys: 'removed old revoked keys of',
  removePostContent: 'removed the content of old posts of',
  removeUnusedMedia: 'removed unused files of',
  createWorkspace: 'created the workspace',
  updateWorkspace: 'renamed the workspace',
  deleteWorkspace: 'deleted the workspace',
  createChannel: 'added the channel',
  updateChannel: 'changed the channel',
  deleteChannel: 'deleted the channel',
  connectChannel: 'added to a workspace the channel',
  disconnectChannel: 'removed from a workspace the channel',
  createAdAccount: 'added the ad account',
  connectAdAccount: 'connected or disconnected the ad account',
  updateAdAccount: 'changed the ad account',
  deleteAdAccount: 'deleted the ad account',
  undoDecision: 'took back their decision about',
  markVip: 'marked a VIP of',
  unmarkVip: 'unmarked a VIP of',
  importConversations: 'imported people of',
  deleteConversation: 'deleted a conversation of',
  erasePerson: 'erased a person:',
  readmitPerson: 'readmitted a person:',
  createInvitation: 'invited',
  revokeInvitation: 'revoked the invitation of',
  acceptInvitation: 'joined:',
  finishOidcSignIn: 'received from the identity provider the role of',
  createReviewLink: 'sent outside for approval, by the link',
  revokeReviewLink: 'revoked the link',
  approveByLink: 'approved, by a link,',
  returnByLink: 'returned, by a link,',
  updateMember: 'changed the rights of',
  setWebhook: 'set the webhook',
  rotateWebhookSecret: 'replaced the secret of the webhook',
  testWebhook: 'sent a test to the webhook',
  resendWebhookDelivery: 'sent an event again to the webhook',
  deleteWebhook: 'removed the webhook',
  removeMember: 'removed',
}

const CHANGES: Record<string, string> = {
  name: 'name',
  timeZone: 'time zone',
  fourEyes: 'four eyes',
  requireSecondFactor: 'second factor for everyone',
  active: 'active',
  connected: 'connected',
  role: 'role',
  mayApprove: 'approves posts',
  mail: 'email address',
  permissions: 'may',
  allowedAddresses: 'only from',
  expiresAt: 'until',
  notes: 'notes',
  type: 'type',
  host: 'at',
  deliveryId: 'event',
}

export const words = {
  title: 'Activity',
  attention: 'Needs attention',
  nothingFailed: (days: number, connected: number, lacking: number): string =>
    [
      `No post of the last ${count(days, 'day')} failed.`,
      connected === 0
        ? ''
        : connected === 1 && lacking === 0
          ? 'The platform accepts the token of the channel.'
          : `The platforms accept the ${count(connected, 'token')} that channels have.`,
      lacking === 0
        ? ''
        : `${count(lacking, 'channel')} ${lacking === 1 ? 'has' : 'have'} no token: nothing is published there.`,
    ]
      .filter(Boolean)
      .join(' '),
  refused: (channel: string): string => `The platform refuses the token of ${channel}: nothing is published there.`,
  reconnect: 'Connect it again',
  askToReconnect: 'An administrator connects it again.',
  wasDue: (time: string): string => `It was due ${time}. Open it to try again.`,
  showFailed: (many: number): string => `Show ${count(many, 'more failed post')}`,
  forAdministrators: 'The change log is shown to administrators.',
  trail: 'Change log',
  what: 'Type',
  everything: 'Everything',
  whats: {
    scheduledPost: 'Posts',
    channel: 'Channels',
    connection: 'Channels in workspaces',
    workspace: 'Workspaces',
    adAccount: 'Ad accounts',
    key: 'Keys',
    user: 'People',
    invitation: 'Invitations',
    organization: 'The organization',
    superpower: 'Superpowers',
    media: 'Uploaded files',
    vipMark: 'VIP marks',
    conversation: 'Conversations',
    person: 'Erased people',
    webhook: 'The webhook',
  },
  who: 'By',
  everyone: 'Everyone',
  key: 'key',
  post: 'a post',
  onlyBy: (name: string): string => `Show only what ${name} did`,
  actor: (type: string, id: string | undefined): string =>
    ({
      operator: id === undefined ? 'The operator' : `The operator (${id})`,
      publisher: 'The publisher',
      key: `Key ${id}`,
      user: 'Someone',
      outsider: 'Someone outside',
    })[type] ?? type,
  did: (operation: string, action: string | undefined): string =>
    (operation === 'publishScheduledPost' ? DEEDS[action ?? ''] : DEEDS[operation]) ??
    operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  changedField: (name: string, channelName: (id: string) => string): string =>
    name.startsWith('channels.')
      ? postWords.changedOn(channelName(name.slice('channels.'.length)))
      : common.field(name),
  change: (name: string, value: string): string => `${CHANGES[name] ?? name}: ${value}`,
  repeated: (times: number, until: string, ended: string): string =>
    `Repeated ${times === 1 ? 'once' : `${times} times`}, last ${until}${ended === '' ? '' : `: ${ended}`}`,
  yes: 'yes',
  no: 'no',
  emptyTitle: 'Nothing here',
  empty: 'Choose another filter.',
  emptySoFar: 'No matches among these entries. Continue with older ones, or choose another filter.',
  pages: 'Pages',
  newest: 'Newest',
  older: 'Older',
}
