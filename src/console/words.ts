import type { Media } from '../interface/media.ts'
import type { MediaProblem } from '../interface/media-rules.ts'
import type { PostAction, PostStatus } from '../interface/posts.ts'

// Every text that a person reads. Another language is another file with the same names.

const locale = 'en-GB'

/** Made at its first use: on a slow phone each takes as long as a page of the console. */
function lazily<Format extends object>(make: () => Format): () => Format {
  let made: Format | undefined
  return () => {
    made ??= make()
    return made
  }
}

const numbers = lazily(() => new Intl.NumberFormat(locale))
/** Whole numbers without Intl, whose first use in a page takes longer than the page. */
const number = (value: number): string =>
  Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ',') : numbers().format(value)
const lists = lazily(() => new Intl.ListFormat(locale))

/** `1 post`, `2 posts`. */
const count = (many: number, one: string, other = `${one}s`): string => `${number(many)} ${many === 1 ? one : other}`

const STATUSES: Record<PostStatus, string> = {
  DRAFT: 'Draft',
  WAITING_FOR_APPROVAL: 'Waiting for approval',
  REJECTED: 'Returned',
  SCHEDULED: 'Scheduled',
  PUBLISHING: 'Publishing',
  PUBLISHED: 'Published',
  FAILED: 'Failed',
}

const ACTIONS: Record<PostAction, string> = {
  created: 'wrote it',
  updated: 'changed it',
  submitted: 'asked for approval',
  approved: 'approved it',
  rejected: 'returned it',
  reverted: 'took it back to draft',
  retried: 'scheduled it again',
  claimed: 'began to publish it',
  published: 'published it',
  failed: 'could not publish it',
  deleted: 'deleted it',
}

const FIELDS: Record<string, string> = {
  scheduledFor: 'time',
  media: 'media',
  mediaType: 'kind of media',
  notes: 'notes',
  caption: 'text',
  superpower: 'superpower',
}

/** What the console says of an answer, where it can be plainer than the service, which speaks to programs. */
const ERRORS: Record<string, string> = {
  unreachable: 'Greenroom cannot be reached. Check your connection; what you typed is still here.',
  post_changed: 'This post has changed since you saw it. Look at it again before you decide.',
  precondition_required: 'This post has not been read yet. Wait a moment and try again.',
  already_published: 'It is out on a channel already, and its media, text and superpower stay as they went out there.',
  post_not_found: 'There is no such post here: it has been deleted, or it belongs to another organization.',
  database_unavailable: 'Greenroom cannot read or write its data just now. It tries again by itself.',
  stopping: 'Greenroom is being restarted. It tries again by itself.',
  internal: 'Something went wrong on our side.',
  channel_in_use: 'Posts are about to go out there. Take them back or delete them first, or let them fail.',
  media_refused: 'This file is no JPEG, PNG, MP4 or QuickTime. Export it as one of these.',
  platform_refused: 'The platform refuses the access token. Connect the account with a new one.',
  platform_failed: 'The platform did not answer as it should. Try again in a while.',
  platform_rate_limited: 'The platform takes no more calls for now.',
  platform_timeout: 'The platform did not answer in time. Try again, or choose a shorter window.',
  ad_platform_not_connected: 'This ad account has no access token. Connect it first.',
  window_too_heavy: 'This window is too much for the platform. Choose a shorter one.',
  window_too_old: 'The platform keeps figures for 37 months. Choose a later window.',
  too_many_insights: 'Your organization has read many insights just now.',
}

export const words = {
  locale,
  count,
  list: (items: string[]): string => lists().format(items),
  number,
  name: 'Greenroom',
  loading: 'Loading…',
  tryAgain: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  skip: 'Skip to the page',
  more: 'Show more',
  none: 'none',
  keyboardHint: 'Arrow keys move between days; Tab leads to the posts of a day.',
  most: (what: string, max: number): string => `${number(max)} ${what}`,
  status: STATUSES,
  action: ACTIONS,
  field: (name: string): string => FIELDS[name] ?? name,
  error: (code: string, message: string): string =>
    ERRORS[code] ?? (message === '' ? 'That did not work. Try again.' : message),
  requestId: (id: string): string => `Quote ${id} when you report it.`,
  retryAfter: (seconds: number): string => `Try again in ${count(seconds, 'second')}.`,
  connectionLost: 'Greenroom does not answer. What you see may be old; it tries again by itself.',
  connectionBack: 'Greenroom answers again.',
  permissionMissing: 'You may look at this, but not change it: ask an administrator for the right.',
  notFoundTitle: 'There is nothing here',
  notFound: 'The address leads to no page. It may have been moved, or mistyped.',
  toStart: 'Go to the start page',
  noOrganizationTitle: 'You are in no organization yet',
  noOrganization: 'Ask an administrator to invite you to one.',
  crashedTitle: 'This page has stopped working',
  crashed: 'Load it again. If it stops again, tell your administrator what you did.',

  nav: {
    label: 'Main',
    approvals: 'Approvals',
    calendar: 'Calendar',
    audience: 'Audience',
    insights: 'Insights',
    activity: 'Activity',
    settings: 'Settings',
    newPost: 'New post',
    waiting: (many: number, isMore: boolean): string => `${number(many)}${isMore ? '+' : ''}`,
    waitingLong: (many: number, isMore: boolean): string =>
      isMore ? `more than ${number(many)} wait` : many === 1 ? '1 waits' : `${number(many)} wait`,
    organization: 'Organization',
    account: 'Account',
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out on all devices',
    changePassword: 'Change password',
    keys: 'Keyboard shortcuts',
    times: (zone: string): string => `Times are in ${zone}`,
  },

  signIn: {
    several: 'You have an account in each of these organizations. Which one do you want?',
    title: 'Sign in',
    mail: 'Mail address',
    password: 'Password',
    submit: 'Sign in',
    again: 'You have been signed out',
    againText: 'Sign in again to go on where you were. What you typed is still here.',
    wrong: 'This mail address and password do not belong together.',
    slow: 'Too many attempts. Wait a moment, then try again.',
    byLink: 'Signing you in…',
    linkSpent: 'This link has been used, or its time is over. Ask for another one.',
    needsHttps:
      'Your browser keeps you signed in over https only. Open this page with an address that begins with https.',
  },
  provider: {
    signIn: (name: string): string => `Sign in with ${name}`,
    elsewhere: 'Sign in in the other window. This page goes on by itself.',
    invited: (organization: string): string => `You are invited to ${organization}.`,
    failed: 'You are not signed in',
  },
  invitation: {
    title: 'Welcome to Greenroom',
    lead: (kind: 'member' | 'owner', organization: string, hasAccount: boolean): string =>
      kind === 'owner'
        ? 'You are the first: make your account as the owner of this server.'
        : hasAccount
          ? `You are invited to ${organization}. Accept with the password of your account.`
          : `You are invited to ${organization}. Choose a name and a password to begin.`,
    personName: 'Your name',
    haveAccount: 'I have an account here already',
    haveNone: 'I have no account here yet',
    passwordHint: '12 characters or more. A few words in a row are easy to remember and hard to guess.',
    submit: 'Begin',
  },
  password: {
    title: 'Change password',
    present: 'Present password',
    next: 'New password',
    submit: 'Change password',
    done: 'Your password is changed. You are signed out on your other devices.',
  },
  keys: {
    title: 'Keyboard shortcuts',
    on: 'Single keys act on this device',
    next: 'Next post',
    previous: 'Previous post',
    approve: 'Approve',
    return: 'Return with notes',
    select: 'Select, or unselect, the post for a decision on several',
    calendar:
      'In the calendar: arrow keys move between days, Page Up and Page Down between months, Enter opens, M moves a post',
  },
}

const ACTION_WORDS: Record<string, string> = {
  COMMENTED: 'comments',
  LIKED: 'likes the post',
  SHARED: 'shares the post',
  MESSAGED: 'writes a message',
}

const quote = (text: string): string => `“${text}”`

const channelType = (type: string): string =>
  ({ FB_PAGE: 'Facebook page', INSTAGRAM_ACCOUNT: 'Instagram account' })[type] ?? type

const FILE_TYPES: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
}

/** Of posts: approvals, the editor, previews, histories. */
export const postWords = {
  channelType,
  actor: (type: string, id: string): string =>
    ({ operator: 'The operator', publisher: 'The publisher', key: `Key ${id}`, user: 'A member' })[type] ?? type,
  changedOn: (channel: string): string => `text or superpower on ${channel}`,
  due: (distance: string): string => `due ${distance}`,
  overdue: 'Its time is over',
  noTime: 'No time yet',
  preview: {
    label: (name: string, type: string): string => `As ${name} will show it (${type})`,
    noText: 'No text yet',
    noMedia: 'No picture or video yet',
    imageAlt: 'The picture of the post',
    imageFailed: 'The picture cannot be shown here',
    video: 'Video',
    openMedia: 'Open it in a new tab',
  },
  superpower: {
    title: (name: string): string => (name === '' ? 'Superpower' : `Superpower: ${name}`),
    inactive: 'It is switched off.',
    hashtag: (hashtag: string): string => `Its hashtag is ${hashtag}.`,
    when: (conditions: string[]): string =>
      conditions.length === 0 ? 'Always:' : `When someone ${conditions.join(', or ')}:`,
    condition: (action: string, values: string[], logic: string): string => {
      const does = ACTION_WORDS[action] ?? (action === '' ? 'reacts' : `does ${action}`)
      if (values.length === 0) return does
      const said = lists().format(values.map(quote))
      return `${does} with ${logic === 'ANY_VALUE' ? 'any of ' : ''}${said}`
    },
    publicReply: (text: string): string => `answer in public${text === '' ? '' : `: ${quote(text)}`}`,
    privateReply: (text: string): string => `send a message${text === '' ? '' : `: ${quote(text)}`}`,
    like: 'like what they wrote',
    takesPart: 'enter them into the raffle',
    timeLimit: (many: number, unit: string): string => `once every ${count(many, unit.toLowerCase())} for each person`,
    target: (what: string, many: number): string => `Target: ${count(many, what)}.`,
    raffle: (winners: number | undefined, end: string | undefined): string =>
      `Raffle${winners === undefined ? '' : ` with ${count(winners, 'winner')}`}${end ? `, until ${end}` : ''}.`,
    usersLimit: (many: number): string => `For ${count(many, 'person', 'people')} at most.`,
    expires: (time: string): string => `Ends ${time}.`,
  },
  approvals: {
    title: 'Approvals',
    lead: (many: number): string =>
      many === 0 ? '' : `${count(many, 'post waits', 'posts wait')} for a decision, the soonest first.`,
    leadMore: (many: number): string => `The soonest ${number(many)} of the posts that wait.`,
    emptyTitle: 'Nothing waits for you',
    empty: 'When someone asks for approval of a post, it appears here by itself.',
    list: 'Posts that wait for approval',
    choose: 'Choose a post to read it',
    chooseSoonest: 'Read the soonest',
    back: 'All that wait',
    gone: 'This post does not wait any more.',
    goneNow: (status: string): string => `This post does not wait any more: it is now “${status.toLowerCase()}”.`,
    approve: 'Approve',
    return: 'Return…',
    edit: 'Edit',
    next: 'Next',
    select: (text: string): string => `Select “${text}”`,
    selected: (many: number): string => `${count(many, 'post')} selected`,
    clear: 'Clear',
    approveSelected: (many: number): string => `Approve ${count(many, 'post')}`,
    returnSelected: 'Return all…',
    returnTitle: (many: number): string => (many === 1 ? 'Return the post' : `Return ${count(many, 'post')}`),
    returnNotes: 'What should be changed?',
    returnHint: 'The author reads this beside the post.',
    returnSubmit: 'Return',
    notesMissing: 'Say what should be changed.',
    approved: (time: string): string => `Approved. It is published ${time}.`,
    returned: 'Returned to its author.',
    approvedMany: (many: number): string => `${count(many, 'post')} approved.`,
    returnedMany: (many: number): string => `${count(many, 'post')} returned.`,
    notDone: (many: number): string => `${count(many, 'post')} left as ${many === 1 ? 'it was' : 'they were'}:`,
    changedMeanwhile: 'changed since you saw it',
    changedNow: 'This post changed while you were reading it.',
    changedBy: (who: string, what: string): string => `${who} changed it while you were reading: ${what}.`,
    showNew: 'Show the new version',
    mayNot: 'You may read this post, but not decide about it.',
    cannotPublish: 'Its time is over: edit it and choose another time before you approve it.',
    written: (who: string, time: string): string => `${who} asked for approval ${time}`,
    firstTime: 'No one has decided about this post before.',
    since: (decision: 'approved' | 'rejected', who: string, time: string): string =>
      `${decision === 'approved' ? 'Approved' : 'Returned'} by ${who} ${time}`,
    notesThen: 'They wrote:',
    changedSince: 'Changed since then:',
    unchanged: 'Nothing has changed since then.',
    notes: 'Notes',
    history: 'History',
    hashtags: 'Hashtags',
  },
  difference: {
    time: 'Time',
    media: 'Picture or video',
    none: 'none',
    added: 'A new channel',
    removed: 'No longer on this channel',
    textOn: (channel: string): string => `Text on ${channel}`,
    superpowerOn: (channel: string): string => `Superpower on ${channel}`,
    gone: 'Gone:',
    put: 'New:',
    otherwise: 'Changed in what is not said here: see it in the post.',
  },
  editor: {
    title: 'Post',
    newTitle: 'New post',
    channels: 'Channels and text',
    noChannels: 'There is no channel yet: ask an administrator to connect one.',
    noChannel: 'Choose a channel to see how it will look.',
    notConnected: 'not connected',
    caption: (channel: string): string => `Text on ${channel}`,
    count: (what: string, many: number, max: number): string => `${number(many)} of ${number(max)} ${what}`,
    tooMuch: (limits: string[]): string => `Too much for this channel: at most ${lists().format(limits)}.`,
    copy: 'Use on all channels',
    copied: 'The text is on all channels.',
    superpower: (channel: string): string => `Superpower on ${channel}`,
    superpowerNone: 'None',
    superpowerNew: 'Write one…',
    superpowerEdit: 'Edit…',
    superpowerOwn: (name: string): string => (name === '' ? 'One of its own' : `${name}, of its own`),
    superpowerKept: (name: string): string => (name === '' ? 'As it is' : `As it is: ${name}`),
    media: 'Picture or video',
    mediaUrl: 'Address on the web',
    mediaHint: 'Both platforms fetch it from there, so it must be open to everyone.',
    mediaNoUrl: 'An address begins with https:// or http://.',
    upload: 'Upload a file…',
    uploadHint: 'Or drop it here: JPEG, PNG, MP4 or QuickTime.',
    uploading: (name: string, part: number): string =>
      part < 1 ? `${name}: ${Math.floor(part * 100)} %` : `${name}: being looked at…`,
    uploaded: (name: string): string => `${name} is uploaded.`,
    mediaFacts: ({ bytes, width, height, durationMs }: Media): string =>
      lists().format([
        `${number(width)} × ${number(height)} pixels`,
        ...(durationMs === undefined ? [] : [count(Math.round(durationMs / 1000), 'second')]),
        `${number(Math.ceil(bytes / 100_000) / 10)} MB`,
      ]),
    mediaRefused: (channel: string, problems: string[]): string => `${channel} takes only ${lists().format(problems)}.`,
    mediaProblem: (problem: MediaProblem): string => {
      switch (problem.what) {
        case 'type':
          return problem.types.map((type) => FILE_TYPES[type] ?? type).join(' or ')
        case 'size':
          return `files of at most ${number(problem.mibMax)} MiB`
        case 'ratio':
          return `a width from ${number(problem.min)} to ${number(problem.max)} times the height (it is ${number(problem.is)} times)`
        case 'width':
          return `a width of at most ${number(problem.max)} pixels`
        case 'duration':
          return `videos of ${number(problem.minSeconds)} seconds to ${number(problem.maxMinutes)} minutes`
      }
    },
    mediaType: 'Kind',
    image: 'Picture',
    video: 'Video',
    when: 'When',
    time: 'Date and time',
    timeZone: (zone: string): string => `In ${zone}`,
    timeUnreadable: 'Write a date and a time.',
    timeNever: (zone: string): string =>
      `This time does not exist in ${zone}: the clock is put forward then. Choose another.`,
    timeTwice: 'This time comes twice, because the clock is put back then. Say which one.',
    timePast: 'This time is over. Choose one in the future.',
    whichOne: 'Which one?',
    occurrence: (which: 'earlier' | 'later', offset: string): string =>
      `${which === 'earlier' ? 'The first' : 'The second'} (UTC${offset})`,
    notes: 'Notes',
    notesHint: 'For your colleagues; never published.',
    preview: 'Preview',
    saveDraft: 'Save as draft',
    submit: 'Ask for approval',
    decide: 'Decide about it',
    revert: 'Take back to draft',
    revertTitle: 'Take the post back?',
    toCalendar: 'All posts',
    revertText: 'It is not published then, and needs an approval again before it is.',
    reverted: 'Taken back to draft.',
    delete: 'Delete',
    deleteTitle: 'Delete the post?',
    deleteText: 'It cannot be brought back. Its history stays.',
    deleted: 'Deleted.',
    saved: 'Saved.',
    savedAndUnapproved: 'Saved. What goes out has changed, so the post waits for approval again.',
    submitted: 'Saved, and handed over for approval.',
    missing: (what: string): string => `Before it can be approved it needs ${what}.`,
    missingChannel: 'a channel',
    missingText: 'a text on each channel',
    missingMedia: 'a picture or video',
    missingTime: 'a time in the future',
    restored: 'What you typed here before is still here, and not saved yet.',
    discard: 'Discard it',
    conflict: (who: string, what: string): string =>
      `${who === '' ? 'Someone' : who} changed this post while you were writing${what === '' ? '' : `: ${what}`}. Nothing is overwritten until you say so.`,
    keepMine: 'Keep what I changed',
    takeTheirs: 'Take theirs, drop mine',
    scheduledNote: 'Approved: it is published at its time. When you change what goes out, it needs an approval again.',
    publishingNote: 'It is being published now and can no longer be changed.',
    publishedNote: 'It is out.',
    failedNote: 'It could not be published everywhere.',
    seeIt: (channel: string): string => `See it on ${channel}`,
    retryTitle: 'Try again',
    retryTime: 'New date and time',
    retry: 'Schedule it again',
  },
  calendar: {
    title: 'Calendar',
    view: 'View',
    views: { month: 'Month', week: 'Week', list: 'List' },
    before: (isWeek: boolean): string => (isWeek ? 'The week before' : 'The month before'),
    after: (isWeek: boolean): string => (isWeek ? 'The next week' : 'The next month'),
    today: 'Today',
    week: (first: string, last: string): string => `${first} – ${last}`,
    channel: 'Channel',
    allChannels: 'All channels',
    status: 'State',
    allStatuses: 'All states',
    zone: (zone: string): string => `All times are in ${zone}.`,
    day: (day: string, many: number): string => (many === 0 ? day : `${day}, ${count(many, 'post')}`),
    moreOnDay: (many: number): string => `${number(many)} more`,
    empty: 'No posts here. Choose another month, or other filters.',
    move: 'Move',
    moveOne: (name: string): string => `Move “${name}”`,
    moveTitle: 'Move the post',
    moved: (time: string): string => `Moved to ${time}.`,
    movedBack: 'Moved back.',
    undo: 'Undo',
    changedMeanwhile: 'Nothing was moved: the post changed a moment ago. Look at it and try again.',
  },
}

/** Of the people of a channel. */
export const audienceWords = {
  title: 'Audience',
  channelType,
  noWorkspaceTitle: 'There is no VIP workspace yet',
  noWorkspace: 'An administrator makes one, and connects channels to it.',
  noChannelTitle: 'No channel is connected to this workspace',
  noChannel: 'An administrator connects one.',
  workspace: 'Workspace',
  channel: 'Channel',
  scope: 'Who',
  scopeVip: 'VIPs',
  scopeAll: 'Everyone',
  birthday: 'Birthday',
  birthdayAny: 'Any, or unknown',
  birthdayKnown: 'Known',
  birthdaySoon: (days: number): string => `In the next ${count(days, 'day')}`,
  birthdayIn: (month: string): string => `In ${month}`,
  shown: (first: number, last: number, total: number, isCapped: boolean): string =>
    `${number(first)}–${number(last)} of ${isCapped ? 'at least ' : ''}${count(total, 'person', 'people')}`,
  sorted: '· the highest lifetime value first',
  sortedByDay: '· the soonest birthday first',
  nobody: 'No one',
  capped:
    'This channel has more than 25,000 conversations: only the 25,000 with the highest lifetime value are looked at, so there may be more people than are counted here.',
  csv: 'Save as CSV',
  csvProgress: (rows: number): string => `Reading… ${number(rows)}`,
  saved: (rows: number): string => `${count(rows, 'person', 'people')} saved as CSV.`,
  fileName: (channel: string, isAll: boolean, day: string): string =>
    `${isAll ? 'audience' : 'vips'}-${channel.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}.csv`,
  caption: (channel: string): string => `People of ${channel}`,
  person: 'Person',
  lastPurchase: 'Last purchase',
  lastMessage: 'Last message',
  lastOpen: 'Last in the app',
  vip: 'VIP',
  vipOf: (name: string): string => `${name} is a VIP`,
  marked: (name: string): string => `${name} is a VIP now.`,
  unmarked: (name: string): string => `${name} is no VIP any more.`,
  emptyTitle: 'No one is here',
  empty: (isAll: boolean): string =>
    isAll ? 'Choose another birthday or channel.' : 'Choose “Everyone” and mark people as VIPs with the star.',
  firstPage: 'Go to the first page',
  pages: 'Pages',
  before: 'Before',
  next: 'Next',
}

const percents = lazily(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }))

/** Of what campaigns cost and bring. */
export const insightsWords = {
  title: 'Insights',
  toSettings: 'Go to the ad accounts',
  noAccountTitle: 'There is no ad account yet',
  noAccount: 'An administrator adds one, with its access token.',
  account: 'Ad account',
  notConnectedName: (name: string): string => `${name} (not connected)`,
  notConnected: 'This ad account is not connected: an administrator gives it an access token.',
  window: 'Window',
  lastDays: (days: number): string => `Last ${count(days, 'day')}, with today`,
  ownWindow: 'Other days',
  from: 'From',
  to: 'To',
  windowName: (first: string, last: string): string => (first === last ? first : `${first} – ${last}`),
  lead: (window: string, currency: string, zone: string): string =>
    `${window}. Money is in ${currency}; days are those of the account, in ${zone}.`,
  wrongOrder: 'The last day is before the first.',
  tooLong: (days: number): string => `Choose at most ${count(days, 'day')}.`,
  reading: (pages: number, campaigns: number): string =>
    pages === 0
      ? 'Asking the platform…'
      : `Reading from the platform… ${count(campaigns, 'campaign')} on ${count(pages, 'page')} so far`,
  waiting: (seconds: number): string => `The platform asks to wait ${count(seconds, 'second')}. It goes on by itself.`,
  readingBefore: 'Reading the window before…',
  readAt: (time: string): string => `Read at ${time}`,
  readAgain: 'Read again',
  noBefore: 'The window before could not be read, so there is nothing to compare with.',
  metrics: 'Choose what is plotted',
  metric: {
    spend: 'Spend',
    delivered: 'Delivered',
    readRate: 'Read rate',
    clicks: 'Clicks',
    costPerDelivered: 'Cost per delivered',
    costPerClick: 'Cost per click',
  },
  change: (percent: number | undefined): string => {
    if (percent === undefined) return 'nothing to compare'
    if (Math.abs(percent) < 0.5) return 'as before'
    return `${percents().format(Math.abs(percent) / 100)} ${percent > 0 ? 'more' : 'less'} than before`
  },
  thisWindow: 'This window',
  windowBefore: 'Window before',
  point: (day: string, value: string, before: string | undefined): string =>
    before === undefined ? `${day}: ${value}` : `${day}: ${value} (before: ${before})`,
  overDays: (metric: string): string => `${metric} over days`,
  days: 'Day by day',
  daysOf: (name: string): string => `Day by day: ${name}`,
  day: 'Day',
  inSum: 'In sum',
  soFar: 'so far',
  mayChange: 'may still change',
  provisional: (days: number): string =>
    `≈ may still change: the platform corrects its figures for up to ${count(days, 'day')}.`,
  allCampaigns: 'All campaigns',
  showAll: 'Show all campaigns',
  byCampaign: (metric: string): string => `By campaign, the highest ${metric.toLowerCase()} first`,
  campaigns: 'Campaigns',
  campaign: 'Campaign',
  beforeHead: (metric: string): string => `${metric}, compared`,
  csv: 'Save as CSV',
  saved: (rows: number): string => `${count(rows, 'row')} saved as CSV.`,
  fileName: (account: string, what: string, first: string, last: string): string =>
    `insights-${account.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${what}-${first}-${last}.csv`,
  emptyTitle: 'Nothing was delivered',
  empty: 'No campaign of marketing messages delivered on these days. Choose others.',
}

/** What an operation did, before the name of what it was done to. */
const DEEDS: Record<string, string> = {
  createScheduledPost: 'wrote',
  updateScheduledPost: 'changed',
  submitScheduledPostForApproval: 'asked for approval of',
  approveScheduledPost: 'approved',
  rejectScheduledPost: 'returned',
  revertScheduledPost: 'took back to draft',
  retryScheduledPost: 'scheduled again',
  deleteScheduledPost: 'deleted the post',
  claimed: 'began to publish',
  published: 'published',
  failed: 'could not publish',
  uploadMedia: 'uploaded the file',
  deleteMedia: 'deleted the file',
  createSuperpower: 'saved the superpower',
  updateSuperpower: 'changed the superpower',
  deleteSuperpower: 'deleted the superpower',
  createOrganization: 'made the organization',
  updateOrganization: 'changed the organization',
  deleteOrganization: 'deleted the organization',
  issueKey: 'issued the key',
  revokeKey: 'revoked the key',
  removeRevokedKeys: 'removed old revoked keys of',
  removePostContent: 'removed what old posts said of',
  removeUnusedMedia: 'removed unused files of',
  createWorkspace: 'made the workspace',
  updateWorkspace: 'renamed the workspace',
  deleteWorkspace: 'deleted the workspace',
  createChannel: 'added the channel',
  updateChannel: 'changed the channel',
  deleteChannel: 'deleted the channel',
  connectChannel: 'put into a workspace: the channel',
  disconnectChannel: 'took out of a workspace: the channel',
  createAdAccount: 'added the ad account',
  connectAdAccount: 'connected or disconnected the ad account',
  markVip: 'marked a VIP of',
  unmarkVip: 'unmarked a VIP of',
  importConversations: 'imported people of',
  deleteConversation: 'deleted a conversation of',
  erasePerson: 'erased a person:',
  readmitPerson: 'readmitted a person:',
  createInvitation: 'invited',
  revokeInvitation: 'took back the invitation',
  acceptInvitation: 'came in:',
  finishOidcSignIn: 'has by the identity provider the rights of',
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
  mail: 'mail address',
  permissions: 'may',
  allowedAddresses: 'only from',
  expiresAt: 'until',
  notes: 'notes',
  type: 'kind',
  host: 'at',
  deliveryId: 'event',
}

/** Of who changed what. */
export const activityWords = {
  title: 'Activity',
  attention: 'Needs attention',
  nothingFailed: (days: number): string =>
    `Nothing: no post of the last ${count(days, 'day')} failed, and the platforms accept the token of each channel.`,
  refused: (channel: string): string => `The platform refuses the token of ${channel}: nothing is published there.`,
  reconnect: 'Connect it again',
  askToReconnect: 'An administrator connects it again.',
  wasDue: (time: string): string => `It was due ${time}. Open it to try again.`,
  showFailed: (many: number): string => `Show ${count(many, 'more failed post')}`,
  forAdministrators: 'Who changed what is shown to administrators.',
  trail: 'Who changed what',
  what: 'What',
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
  who: 'Who',
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
      : (FIELDS[name] ?? name),
  change: (name: string, value: string): string => `${CHANGES[name] ?? name}: ${value}`,
  repeated: (times: number, until: string, ended: string): string =>
    `Done again ${times === 1 ? 'once' : `${times} times`}, last ${until}${ended === '' ? '' : `: ${ended}`}`,
  yes: 'yes',
  no: 'no',
  emptyTitle: 'Nothing here',
  empty: 'Choose another filter.',
  emptySoFar: 'Nothing among these entries. Go on with older ones, or choose another filter.',
  pages: 'Pages',
  newest: 'Newest',
  older: 'Older',
}

const CHANNEL_HEALTH = {
  connected: 'Connected',
  'not-connected': 'Not connected: it has no access token, so nothing is published there',
  'needs-reconnect': 'The platform refuses its token, so nothing is published there',
}

const KEY_PERMISSIONS = {
  'channels:read': 'See channels',
  'audience:read': 'Read the audience',
  'audience:mark': 'Mark VIPs',
  'audience:write': 'Import and erase people',
  'insights:read': 'Read insights',
  'posts:read': 'Read posts',
  'posts:write': 'Write posts',
  'superpowers:read': 'Read superpowers',
  'superpowers:write': 'Write superpowers',
  'settings:read': 'Read settings',
  'settings:write': 'Change settings',
  'audit:read': 'Read the activity',
}

/** Of what forms show to take along. */
export const formWords = {
  copy: 'Copy',
  copied: 'Copied.',
  copyYourself: 'It is selected: copy it with the keyboard.',
  haveIt: 'I have it',
}

/** Of settings. */
export const settingsWords = {
  title: 'Settings',
  titleOf: (section: string): string => `Settings: ${section}`,
  sections: {
    organization: 'Organization',
    people: 'People',
    channels: 'Channels',
    'ad-accounts': 'Ad accounts',
    keys: 'Keys',
    webhook: 'Webhook',
    account: 'You',
    server: 'Server',
  },
  saved: 'Saved.',
  name: 'Name',
  add: 'Add',
  kind: 'Kind',
  rename: 'Rename',
  renameTitle: (name: string): string => `Rename ${name}`,
  delete: 'Delete',
  deleteTitle: (name: string): string => `Delete ${name}?`,
  nameToDelete: (name: string): string => `To delete it for good, type its name: ${name}`,
  nameDiffers: 'This is not its name.',
  deleted: (name: string): string => `${name} is deleted.`,
  link: 'Link',
  until: (time: string): string => `until ${time}`,
  since: (day: string): string => `since ${day}`,

  timeZone: 'Time zone',
  timeZoneHint: (zone: string, time: string): string =>
    `In which everyone here reads and writes times, wherever they are. It is ${time} in ${zone}.`,

  members: 'People',
  noMemberTitle: 'No one is in this organization yet',
  noMember: 'Owners of the server see it without being in it. Invite the people who work with it.',
  you: 'you',
  inactive: 'may not sign in',
  unproven: 'address not confirmed',
  confirmMail: 'Confirm address',
  confirmMailText: (mail: string): string =>
    `Only if you know that ${mail} is this person's: the account then joins other organizations by invitation.`,
  invite: 'Invite a person',
  invited: 'Invited',
  mail: 'Mail address',
  role: 'Role',
  roleOf: (name: string): string => `Role of ${name}`,
  roles: { VIEWER: 'Viewer', EDITOR: 'Editor', ADMIN: 'Administrator' },
  rolesHint:
    'Viewers read. Editors also write posts and mark VIPs. Administrators also change these settings. Approving posts is a right of its own.',
  approves: 'Approves posts',
  changedRights: (name: string): string => `The rights of ${name} are changed. They hold at once.`,
  fourEyes: 'Four eyes: no one approves a post that they wrote or changed last',
  remove: 'Remove',
  removeTitle: (name: string): string => `Remove ${name}?`,
  removeText: 'They are signed out of this organization at once. What they did keeps their name.',
  removeSelf: 'This is you: you lose access to this organization at once.',
  makeLink: 'Make a link',
  inviteReady: 'The invitation is ready',
  inviteLead: (mail: string, time: string): string =>
    `Send this link to ${mail}, unless this server has mailed it. It works once, until ${time}, and is shown only now.`,
  takeBack: 'Take back',
  takeBackTitle: (mail: string): string => `Take back the invitation of ${mail}?`,
  takeBackText: 'Its link no longer works then.',

  channelType,
  workspaces: 'Workspaces',
  workspacesHint: 'In a VIP workspace the people of its channels are listed and marked as VIPs.',
  workspaceTypes: { VIP: 'VIP workspace', STANDARD: 'Standard workspace' },
  addWorkspace: 'Add a workspace',
  inWorkspaces: (channel: string): string => `of ${channel}`,
  putIn: (channel: string, workspace: string, on: boolean): string =>
    on ? `${channel} is in ${workspace} now.` : `${channel} is no longer in ${workspace}.`,
  takeOut: 'Take it out',
  takeOutTitle: (channel: string, workspace: string): string => `Take ${channel} out of ${workspace}?`,
  takeOutText:
    'Its people stay, but who of them is a VIP of the workspace is forgotten, also when you put it in again.',
  deleteWorkspace: 'Its VIP marks are deleted with it. The channels and their people stay.',
  deleteChannel:
    'Its people, their VIP marks and its token are deleted with it. Posts that are out stay on the platform, and here with its name; drafts ask for another channel.',
  postsFail: 'Delete it anyway: the posts that are about to go out there fail. On their other channels they go out.',
  channelCount: (many: number): string => count(many, 'channel'),
  addChannel: 'Add a channel',
  noChannelTitle: 'There is no channel yet',
  noChannel: 'A channel is a Facebook page or an Instagram account, to publish on and to list the people of.',
  health: CHANNEL_HEALTH,
  platformId: 'Id on the platform',
  channelIdHint: 'The digits that the platform gives the page or account.',
  token: 'Access token',
  tokenOptional: 'Access token, if you have it',
  tokenHint:
    'Of the page, or of the page of the Instagram account. The platform is asked whether it may publish there.',
  connect: 'Connect',
  connectTitle: (name: string): string => `Connect ${name}`,
  replaceToken: 'Replace the token',
  connectedNow: (isConnected: boolean, end: string | undefined): string =>
    isConnected ? `Connected.${end ? ` The token ends ${end}.` : ''}` : 'Saved. It is not connected.',
  disconnect: 'Disconnect',
  disconnectTitle: (name: string): string => `Disconnect ${name}?`,
  disconnectChannel: 'Its token is deleted. Posts that are due there fail until it is connected again.',

  noAccountTitle: 'There is no ad account yet',
  noAccount: 'Add the one whose campaigns you want to see in Insights.',
  addAccount: 'Add an ad account',
  accountIdHint: 'The digits that the platform shows, with or without act_.',
  currency: 'Currency',
  currencyHint: 'Three letters, such as EUR: the one that the platform shows for the account.',
  accountTokenHint: 'The platform is asked whether it may read the account.',
  isConnected: 'Connected',
  lacksToken: 'Not connected: it has no access token, so there are no insights',
  disconnectAccount: 'Its token is deleted. There are no insights of it until it is connected again.',

  keysHint: 'Programs call the API with a key. No key approves posts: that is for people.',
  newKey: 'New key',
  noKeyTitle: 'There is no key',
  noKey: 'Issue one for each program, so that each can be revoked by itself.',
  unnamed: 'Key without a name',
  keyName: 'What it is for',
  keyNameHint: 'Such as the name of the program that uses it.',
  keyMay: 'What it may do',
  keyMayNothing: 'Choose at least one thing that the key may do.',
  permissions: KEY_PERMISSIONS,
  mayOf: (permissions: (keyof typeof KEY_PERMISSIONS)[]): string =>
    permissions.length === 0
      ? 'May do all that a key may'
      : `May: ${lists().format(permissions.map((one) => KEY_PERMISSIONS[one].toLowerCase()))}`,
  addresses: 'Only from these addresses',
  addressesHint: 'IP addresses or subnets, one a line. From anywhere when it is empty.',
  onlyFrom: (addresses: string[]): string => `Only from ${lists().format(addresses)}`,
  expires: 'Until',
  expiresHint: 'It is refused from the beginning of this day on. Without a day it does not end.',
  issue: 'Issue',
  issued: (day: string, who: string | undefined): string => `issued ${day}${who === undefined ? '' : ` by ${who}`}`,
  lastUsed: (time: string | undefined): string => (time === undefined ? 'never used' : `last used ${time}`),
  revokedAt: (time: string): string => `Revoked ${time}`,
  expiredAt: (time: string): string => `Over since ${time}`,
  rotate: 'Rotate',
  rotateTitle: (name: string): string => `Rotate ${name}?`,
  rotateText:
    'A new key is issued that may do the same. The present one goes on working until you revoke it, so that nothing stops in between.',
  revoke: 'Revoke',
  revokeTitle: (name: string): string => `Revoke ${name}?`,
  revokeText: (used: string | undefined): string =>
    `It is refused at once, for good. ${used === undefined ? 'It was never used.' : `It was last used ${used}.`}`,
  revoked: 'Revoked.',
  keyReady: 'The key is ready',
  keyLead: 'Store it now: it is shown only this once.',
  keyRotated: 'Store it now: it is shown only this once. When your program uses it, revoke the earlier key.',
  keyId: 'Key id',
  secret: 'Secret',
  secretHint: 'Keep it where passwords are kept.',
  showOver: (many: number): string => `Show ${count(many, 'key')} that ${many === 1 ? 'is' : 'are'} over`,
  hideOver: 'Hide keys that are over',

  webhookHint:
    'A program of yours is told what happens, so that it need not ask. It gets ids, and nothing of what people wrote.',
  noWebhookTitle: 'There is no webhook',
  noWebhook: 'Add the address at which your program takes events.',
  addWebhook: 'Add a webhook',
  changeAddress: 'Change the address',
  address: 'Address',
  addressHint: 'It begins with https:// and can be reached from the Internet.',
  twoSecrets: (time: string): string => `the secret before signs too, until ${time}`,
  sendTest: 'Send a test',
  testSent: 'A test is on its way.',
  rotateSecret: 'Replace the secret',
  rotateSecretTitle: 'Replace the secret of the webhook?',
  rotateSecretText: 'For a day each event is signed with both secrets, so that you can change your program meanwhile.',
  removeWebhook: 'Remove',
  removeWebhookTitle: 'Remove the webhook?',
  removeWebhookText: 'Nothing more is sent, and what was on its way is not delivered.',
  webhookRemoved: 'The webhook is removed.',
  webhookReady: 'The webhook is ready',
  webhookLead: 'Store its secret now: it is shown only this once. By it your program tells that an event is from here.',
  deliveries: 'What it was told',
  deliveriesHint: 'Of the last 30 days, the newest first.',
  events: {
    'post.failed': 'A post failed',
    'post.waiting_for_approval': 'A post waits for approval',
    'token.refused': 'A token is refused',
    'key.expiring': 'A key ends soon',
    'import.finished': 'An import is through',
    test: 'A test',
  },
  delivered: (attempts: number): string => `Delivered${attempts > 1 ? ` at attempt ${attempts}` : ''}`,
  notDelivered: (attempts: number, why: string): string =>
    `Not delivered${attempts > 0 ? ` in ${count(attempts, 'attempt')}` : ''}. ${why}`.trim(),
  onItsWay: 'On its way',
  again: (why: string, time: string): string => `${why} It is sent again ${time}.`,
  sendAgain: 'Send again',
  sentAgain: 'It is on its way again.',
  moreDeliveries: 'Show more',
  olderDeliveries: 'Older ones are listed by the command line: greenroom webhook deliveries.',

  changePassword: 'Change password',
  sessions: 'Where you are signed in',
  sessionsHint: 'End the ones that you do not know, and change your password then.',
  signOutEverywhere: 'Sign out on all devices',
  thisOne: 'this one',
  browser: (userAgent: string): string => {
    const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(userAgent)?.[0] ?? 'A browser'
    const system = /iPhone|iPad|Android|Windows|Mac OS|Linux/.exec(userAgent)?.[0]
    const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser
    return system === undefined ? name : `${name} on ${system}`
  },
  session: (began: string, seen: string): string => `since ${began} · last seen ${seen}`,
  seenFrom: (address: string): string => `from ${address}`,
  endSession: 'End',
  sessionEnded: 'That session is over.',

  version: (version: string): string => `Greenroom ${version}`,
  organizations: 'Organizations',
  addOrganization: 'Add an organization',
  stopped: 'Inactive: its keys are refused, and nothing of it is published',
  stop: 'Deactivate',
  stopTitle: (name: string): string => `Deactivate ${name}?`,
  stopText: 'Its keys and people are refused at once, and its posts wait. Nothing is deleted.',
  start: 'Activate',
  owners: 'Owners',
  ownersHint: 'An owner sees and does everything on this server.',
  inviteOwner: 'Invite an owner',
  ownerLead: (time: string): string =>
    `Hand this link to the person: it makes them an owner of the server. It works once, until ${time}.`,
  mails: 'Mails',
  mailsAreOn: 'You get mails about this organization: posts that wait for you, and failures if you are an admin.',
  mailsAreOff: 'You get no mails about this organization.',
  mailsOn: 'Send me mails',
  mailsOff: 'Send me none',
  operatorTokens: 'Operator tokens',
  operatorTokensHint: 'For programs and people that operate this server from the command line: they may do everything.',
  newToken: 'New operator token',
  tokenNameHint: 'Small letters, digits and dashes. The activity names it.',
  tokenReady: 'The operator token is ready',
  operatorToken: 'Operator token',
  revokeToken: 'It is refused at once, for good.',
}

/** These texts are about second factors, confirming a call, removals, and links that are opened while a person is signed in. */
export const factorWords = {
  signIn: 'Sign in with a passkey',
  stepTitle: 'One more step',
  stepSubmit: 'Continue',
  stepBack: 'Sign out',
  stepImpossible:
    'This browser cannot use your passkeys. Use another browser, or ask an owner of this server for help.',
  ways: {
    passkey: 'Use a passkey',
    totp: 'Use a code from your app',
    'recovery-code': 'Use a recovery code',
  },
  passkeyLead: 'Your browser asks for your fingerprint, face, PIN or security key.',
  code: 'Code from your authenticator app',
  codeHint: 'Six digits.',
  recoveryCode: 'Recovery code',
  recoveryCodeHint: 'One of those that you kept when you set up your second factor. Each works once.',
  passkeyKnown: 'This device already has a passkey for your account.',
  passkeyFailed: (name: string): string =>
    name === 'NotAllowedError' || name === 'AbortError'
      ? 'The passkey was not used. Try again, or choose another way.'
      : 'This browser could not use a passkey for this address. Choose another way.',

  confirmTitle: 'Confirm that it is you',
  confirmLead: 'You signed in a while ago, and this change needs a fresh proof.',
  confirmSignIn: 'To make this change, sign out and sign in again. Nothing has been changed so far.',
  confirmBy: { passkey: 'Use a passkey', totp: 'Confirm', password: 'Confirm' },
  confirmWays: { passkey: 'Use a passkey', totp: 'Use a code from your app', password: 'Use your password' },

  replaceTitle: 'You are already signed in',
  signedInAs: (name: string, mail: string): string => `You are signed in as ${name} (${mail}).`,
  linkAsks: 'Sign in as the person of this link instead?',
  invitationAsks: (mail: string | undefined, organization: string): string =>
    mail === undefined
      ? 'This invitation makes an account for an owner of this server. Go on with it instead?'
      : `This invitation to ${organization} is for ${mail}. Go on as that person instead?`,
  stay: 'Stay signed in',
  replace: 'Go on with the link',

  title: 'Second factor',
  lead: 'With a second factor, your password alone lets no one in.',
  passkeys: 'Passkeys',
  addPasskey: 'Add a passkey',
  passkeyName: 'Name',
  passkeyNameHint: 'So that you know it in this list, such as “Laptop” or “Key on the ring”.',
  noPasskey: 'You have none. A passkey is kept by your device, password manager or security key.',
  noPasskeysHere:
    'Passkeys work only where the address of this page begins with https and has a name, such as example.com.',
  added: (day: string): string => `added ${day}`,
  lastUsed: (time: string | undefined): string => (time === undefined ? 'never used' : `last used ${time}`),
  passkeyAdded: 'The passkey is added. You are signed out on your other devices.',
  remove: 'Remove',
  removePasskey: (name: string): string => `Remove the passkey ${name}?`,
  removeText: 'It no longer lets you in.',
  removeLast: 'This is your only second factor: your recovery codes are removed with it.',
  removed: 'Removed.',
  totp: 'Authenticator app',
  noTotp: 'You have none. An app on your phone shows a new code every 30 seconds.',
  setUpTotp: 'Set up an app',
  setUpSince: (day: string): string => `set up ${day}`,
  removeTotp: 'Remove the authenticator app?',
  scan: 'Scan this picture with the app, or type the secret into it.',
  qr: 'QR code for the authenticator app',
  secret: 'Secret',
  totpAdded: 'The authenticator app is set up. You are signed out on your other devices.',
  finish: 'Finish',
  recovery: 'Recovery codes',
  recoveryLead: 'For when you have lost the device of your second factor.',
  codesLeft: (many: number): string => (many === 0 ? 'None left.' : `${number(many)} left.`),
  newCodes: 'Make new codes',
  newCodesTitle: 'Make new recovery codes?',
  newCodesText: 'The present ones stop working.',
  codesMade: 'You have new recovery codes.',
  codesTitle: 'Keep your recovery codes',
  codesReady: 'Each lets you in once when you have lost your second factor. They are shown only now.',
  copyCodes: 'Copy',
  downloadCodes: 'Download',
  codesFile: 'greenroom-recovery-codes.txt',
  codesHead: 'Recovery codes of Greenroom, each to be used once',

  demand: 'Everyone here needs a second factor',
  demandHint: 'A person without one does not get in here until they have set one up.',
  demandMissing: 'Set up your own second factor first, and sign in with it:',
  toFactors: 'Go to your second factor',
  requiredTitle: 'This organization asks for a second factor',
  required: (organization: string): string =>
    `${organization} lets in only people who have signed in with a second factor, such as a passkey or an authenticator app. It takes a minute to set up.`,
  requiredAgain: (organization: string): string =>
    `${organization} lets in only people who have signed in with their second factor. Sign out, and sign in with yours.`,
  has: 'second factor',
  hasNot: 'no second factor',
  reset: 'Reset second factor',
  resetTitle: (name: string): string => `Reset the second factor of ${name}?`,
  resetText:
    'Their passkeys, their authenticator app and their recovery codes are removed, and they are signed out. Make sure that it is this person who asks: from then on their password alone lets them in.',
  resetDone: (name: string): string => `The second factor of ${name} is reset.`,
  people: 'People with an account',
  owner: 'owner of this server',

  ends: 'What ends with it',
  endsCount: (invitations: number, reviewLinks: number, signInLinks: number): string[] =>
    [
      invitations > 0 ? count(invitations, 'open invitation') : '',
      reviewLinks > 0 ? count(reviewLinks, 'review link') : '',
      signInLinks > 0 ? count(signInLinks, 'sign-in link') : '',
    ].filter(Boolean),
  endsToken: (name: string): string => `operator token ${name}`,
  endsNothing: 'They have made no link, invitation or token that still works.',
  keysOf: 'Keys that they issued',
  keysOfHint: 'A key goes on working unless you revoke it here. Mark the ones that the person may have kept.',
}

/** Of the editor of superpowers. */
export const superpowerWords = {
  title: 'Superpower',
  titleOf: (name: string): string => `Saved superpower: ${name}`,
  fields: {
    name: 'Name',
    hashtag: 'Hashtag',
    active: 'It acts',
    action: 'When someone',
    values: 'With one of these words',
    publicReply: 'Answer in public',
    privateReply: 'Send a message',
    autoLike: 'Like what they wrote',
    takesPart: 'Enter them into the raffle',
    winners: 'Winners of the raffle',
    raffleEnd: 'Last day of the raffle',
  },
  nameHint: 'By which your colleagues find it when it is saved.',
  hashtagHint: 'On each channel a hashtag belongs to one post at a time.',
  always: 'does anything',
  actions: { COMMENTED: 'comments', LIKED: 'likes the post', SHARED: 'shares the post', MESSAGED: 'writes a message' },
  valuesHint: 'One a line. With any words when it is empty.',
  json: 'All of it, as JSON',
  jsonHint: 'For what the form does not have: further groups, replies, limits.',
  noJson: (message: string): string => `This is no JSON of a superpower${message === '' ? '' : `: ${message}`}.`,
  useHere: 'Use in this post',
  saveForAll: 'Save for other posts too',
  saveChanges: 'Save the changes',
  saved: (name: string): string => `${name} is saved. Posts that have a copy keep theirs.`,
  delete: 'Delete',
  deleteText: (name: string): string => `Delete ${name}? Posts that have a copy keep it.`,
  deleted: (name: string): string => `${name} is deleted.`,
}

/** Of approval by a person without an account: their page, and who sends them there. */
export const outsideWords = {
  brand: 'Greenroom',
  title: 'A post for you to approve · Greenroom',
  asks: (organization: string): string => `${organization} asks for your approval`,
  lead: (name: string, maker: string): string =>
    `For ${name}, from ${maker}. This is the post as it will be published.`,
  noTime: 'No time yet',
  past: 'Its time is over, so it cannot be approved any more. You can still return it.',
  changed: 'This post changed while you were reading it.',
  showNew: 'Show the new version',
  approve: 'Approve',
  return: 'Return…',
  notYet: 'Not yet',
  approveTitle: 'Approve this post?',
  approveText: (time: string): string => `It is then published ${time}.`,
  until: (time: string, zone: string): string =>
    `This link works until ${time} (${zone}), or until the post is decided about.`,
  thanks: (name: string): string => `Thank you, ${name}`,
  approved: (time: string, zone: string): string => `The post is approved. It is published ${time} (${zone}).`,
  returned: 'The post is returned to its author, with your notes.',
  done: 'You can close this page. The link works no more.',
  overTitle: 'This link does not work',
  over: 'The post has been decided about or was taken back, or the link was revoked or is over. If you wait for it, ask the person who sent the link.',
  byLinkOf: (name: string, maker: string): string => `${name} (by a link of ${maker})`,
  linksTitle: 'Approval outside',
  linksLead: 'A link lets one person without an account approve or return this post.',
  linkOf: (maker: string, until: string): string => `by ${maker}, until ${until}`,
  make: 'Send for approval outside…',
  makeTitle: 'Send for approval outside',
  forWhom: 'For whom',
  forWhomHint: 'The history names them so, such as “Anna of the agency”.',
  worksFor: 'The link works for',
  makeSubmit: 'Make the link',
  madeTitle: (name: string): string => `The link for ${name}`,
  link: 'Link',
  madeHint: 'Send it to this person alone: who has it decides. It is not shown again.',
  revoke: 'Revoke',
  revokeOf: (name: string): string => `Revoke the link for ${name}`,
  revoked: (name: string): string => `The link for ${name} works no more.`,
}
