import { common } from '../words.ts'

const { count } = common

/** The states of a post of a link, in the overview. */
const STATES = {
  open: 'Waits for you',
  approved: 'You approved it',
  returned: 'You returned it',
  over: 'No longer waiting',
}

export const words = {
  brand: 'Greenroom',
  title: 'A post for you to approve · Greenroom',
  asks: (organization: string): string => `${organization} asks for your approval`,
  linkFor: (name: string, maker: string): string => `For ${name}, from ${maker}.`,
  open: (isToSeveral: boolean): string => (isToSeveral ? 'Open the posts' : 'Open the post'),
  lead: (name: string, maker: string): string =>
    `For ${name}, from ${maker}. This is the post as it will be published.`,
  past: 'This post is overdue, so it can no longer be approved. You can still return it.',
  notYet: 'Not yet',
  approveTitle: 'Approve this post?',
  approveText: (time: string): string => `It is then published ${time}.`,
  until: (time: string, zone: string): string =>
    `This link works until ${time} (${zone}), or until the post is decided about.`,
  thanks: (name: string): string => `Thank you, ${name}`,
  approved: (time: string, zone: string): string => `The post is approved. It is published ${time} (${zone}).`,
  returned: 'The post is returned to its author, with your notes.',
  done: 'You can close this page. The link no longer works.',
  overTitle: 'This link does not work',
  over: 'The link was revoked or has expired, or its only post no longer waits. If you expected a post, ask the person who sent the link.',
  byLinkOf: (name: string, maker: string): string => `${name} (by a link of ${maker})`,
  linksTitle: 'Approval outside',
  linksLead: 'A link lets one person without an account approve or return this post.',
  linkOf: (maker: string, until: string): string => `by ${maker}, until ${until}`,
  make: 'Send for approval outside…',
  forWhom: 'Recipient',
  forWhomHint: 'The history shows this name, such as “Anna of the agency”.',
  worksFor: 'The link works for',
  makeSubmit: 'Create the link',
  madeTitle: (name: string): string => `The link for ${name}`,
  link: 'Link',
  madeHint: 'Send it to this person only: anyone who has it can decide. It is not shown again.',
  revoke: 'Revoke',
  revokeOf: (name: string): string => `Revoke the link for ${name}`,
  revoked: (name: string): string => `The link for ${name} no longer works.`,
  leadSeveral: (name: string, maker: string, many: number): string =>
    `For ${name}, from ${maker}: ${count(many, 'post')}, as they will be published.`,
  untilSeveral: (time: string, zone: string): string => `This link works until ${time} (${zone}).`,
  place: (at: number, of: number): string => `${common.number(at)} of ${common.number(of)}`,
  decidedOf: (decided: number, of: number): string => `${common.number(decided)} of ${count(of, 'post')} decided`,
  decidedNow: (at: number, isApproved: boolean): string =>
    isApproved ? `Post ${at} is approved.` : `Post ${at} is returned to its author, with your notes.`,
  states: {
    open: 'This post waits for you.',
    approved: 'You approved this post.',
    returned: 'You returned this post.',
    over: 'This post no longer waits for you: it was decided about or changed elsewhere.',
  },
  stateOf: (at: number, state: keyof typeof STATES): string => `${at}: ${STATES[state]}`,
  skip: 'Skip',
  overview: 'All posts',
  overviewTitle: 'All posts of this link',
  goOn: 'Go on',
  show: 'Show',
  /** The time of a post, and the beginning of its text: whole characters, as people see them. */
  beginning: (time: string, text: string): string =>
    text === '' ? time : `${time} · ${[...text].slice(0, 80).join('')}${[...text].length > 80 ? '…' : ''}`,
  counts: (approved: number, returned: number, open: number): string =>
    [
      `You approved ${count(approved, 'post')} and returned ${common.number(returned)}.`,
      open === 0 ? '' : `${count(open, 'post waits', 'posts wait')} for you.`,
    ]
      .filter(Boolean)
      .join(' '),
  doneSeveral: (time: string, zone: string): string =>
    `You can close this page. Until ${time} (${zone}) you can open it again by the link, to see or take back what you decided.`,
  sendSelected: 'Review link…',
  sendWeek: (many: number): string => `Review link for this week (${common.number(many)})…`,
  sendTitle: (many: number): string => `Review link for ${count(many, 'post')}`,
  sendText:
    'One person without an account decides about these posts one by one, each as it is then. Later posts are not in it.',
  sendBy: 'How it gets there',
  sendByHint: 'A link that is sent by mail is shown to no one here.',
  byHand: 'I copy the link and send it',
  byMail: (mail: string): string => `By mail to ${mail}`,
  sent: (mail: string): string => `The link is on its way to ${mail}.`,
  allTitle: 'Review links',
  allLead: 'Links by which people without an account decide about posts, and that still work.',
  backToWaiting: 'Waiting posts',
  noLinks: 'No review link works just now',
  noLinksHint: 'Select posts under Approvals, or open a week of the calendar, to make one.',
  nameAndMail: (name: string, mail: string): string => `${name} (${mail})`,
  neverOpened: 'Not opened yet',
  opened: (time: string): string => `Last opened ${time}`,
  toPost: 'Open the post',
  isBack: 'You returned this post. This is the new version.',
  endedTitle: 'Ended in the last 30 days',
  noneEnded: 'No link has ended in the last 30 days.',
  whys: {
    approved: 'The post was approved by it',
    returned: 'The post was returned by it',
    over: 'The post no longer waits for approval',
    revoked: 'Revoked',
    expired: 'Expired',
    maker: 'Who made it may no longer send posts outside',
    reviewer: 'The address is no longer a reviewer’s',
  },
  endedBecause: (why: string, time: string): string => `${why}, ${time}`,
}
