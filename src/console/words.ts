import type { PostAction, PostStatus } from '../interface/posts.ts'

// Every text that a person reads. Another language is another file with the same names.

const locale = 'en-GB'
const rules = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)
const lists = new Intl.ListFormat(locale)

/** `1 post`, `2 posts`. */
const count = (many: number, one: string, other = `${one}s`): string =>
  `${numbers.format(many)} ${rules.select(many) === 'one' ? one : other}`

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
  scheduled_post_not_found: 'This post has been deleted.',
  database_unavailable: 'Greenroom cannot read or write its data just now. It tries again by itself.',
  stopping: 'Greenroom is being restarted. It tries again by itself.',
  internal: 'Something went wrong on our side.',
}

export const words = {
  locale,
  count,
  list: (items: string[]): string => lists.format(items),
  number: (value: number): string => numbers.format(value),
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
  most: (what: string, max: number): string => `${numbers.format(max)} ${what}`,
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
    newPost: 'New post',
    waiting: (many: number, isMore: boolean): string => `${numbers.format(many)}${isMore ? '+' : ''}`,
    waitingLong: (many: number, isMore: boolean): string =>
      isMore ? `more than ${numbers.format(many)} wait` : many === 1 ? '1 waits' : `${numbers.format(many)} wait`,
    organization: 'Organization',
    account: 'Account',
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out on all devices',
    changePassword: 'Change password',
    keys: 'Keyboard shortcuts',
    times: (zone: string): string => `Times are in ${zone}`,
  },

  signIn: {
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
          ? `You are invited to ${organization}. You have an account already: sign in to accept.`
          : `You are invited to ${organization}. Choose a name and a password to begin.`,
    personName: 'Your name',
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
      const said = lists.format(values.map(quote))
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
    leadMore: (many: number): string => `The soonest ${numbers.format(many)} of the posts that wait.`,
    emptyTitle: 'Nothing waits for you',
    empty: 'When someone asks for approval of a post, it appears here by itself.',
    list: 'Posts that wait for approval',
    choose: 'Choose a post to read it.',
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
  editor: {
    title: 'Post',
    newTitle: 'New post',
    channels: 'Channels and text',
    noChannels: 'There is no channel yet: ask an administrator to connect one.',
    noChannel: 'Choose a channel to see how it will look.',
    notConnected: 'not connected',
    caption: (channel: string): string => `Text on ${channel}`,
    count: (what: string, many: number, max: number): string =>
      `${numbers.format(many)} of ${numbers.format(max)} ${what}`,
    tooMuch: (limits: string[]): string => `Too much for this channel: at most ${lists.format(limits)}.`,
    copy: 'Use on all channels',
    copied: 'The text is on all channels.',
    superpower: (channel: string): string => `Superpower on ${channel}`,
    superpowerNone: 'None',
    superpowerKept: (name: string): string => (name === '' ? 'As it is' : `As it is: ${name}`),
    media: 'Picture or video',
    mediaUrl: 'Address on the web',
    mediaHint: 'Both platforms fetch it from there, so it must be open to everyone.',
    mediaNoUrl: 'An address begins with https:// or http://.',
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
    moreOnDay: (many: number): string => `${numbers.format(many)} more`,
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
    `${numbers.format(first)}–${numbers.format(last)} of ${isCapped ? 'at least ' : ''}${count(total, 'person', 'people')}`,
  sorted: '· the highest lifetime value first',
  sortedByDay: '· the soonest birthday first',
  nobody: 'No one',
  capped:
    'This channel has more than 25,000 conversations: only the 25,000 with the highest lifetime value are looked at, so there may be more people than are counted here.',
  csv: 'Save as CSV',
  csvProgress: (rows: number): string => `Reading… ${numbers.format(rows)}`,
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
  copy: 'Copy',
  copied: 'Copied.',
  copyByHand: 'It is selected: copy it with the keyboard.',
  revoke: 'Revoke',
  revokeOf: (name: string): string => `Revoke the link for ${name}`,
  revoked: (name: string): string => `The link for ${name} works no more.`,
}
