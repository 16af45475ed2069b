import { FAILED_MAX } from '../interface/revision.ts'
import { common } from './words.ts'

const { count, number } = common

export const words = {
  skip: 'Skip to the content',
  connectionLost: 'Greenroom does not answer. What you see may be old; it tries again by itself.',
  connectionBack: 'Greenroom answers again.',
  notFoundTitle: 'Page not found',
  notFound: 'There is no page at this address. It may have been moved or mistyped.',
  toStart: 'Go to the home page',
  crashedTitle: 'This page has stopped working',
  inactive: 'This organization is inactive: its keys are refused, and none of its posts are published.',
  newVersionTitle: 'There is a new version',
  notLoadedTitle: 'This page is not loaded',
  newVersion: 'A new version of Greenroom is here. Reload the page to go on; what you typed is kept.',
  notLoaded: 'This page could not be loaded. Check your connection.',
  reload: 'Reload',
  crashed: 'Load it again. If it stops again, tell your administrator what you did.',
  nav: {
    label: 'Main',
    inbox: 'Inbox',
    approvals: 'Approvals',
    calendar: 'Calendar',
    audience: 'Audience',
    insights: 'Insights',
    activity: 'Activity',
    settings: 'Settings',
    newPost: 'New post',
    many: (many: number): string => number(many),
    long: {
      waiting: (many: number): string => (many === 1 ? '1 waits' : `${number(many)} wait`),
      unread: (many: number): string => `${number(many)} unread`,
    },
    organization: 'Organization',
    organizations: 'Organizations',
    inactive: 'inactive',
    account: 'Account',
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out on all devices',
    changePassword: 'Change password',
    keys: 'Keyboard shortcuts',
    times: (zone: string): string => `Times are in ${zone}`,
    ownTimes: (own: string, organization: string): string =>
      `Times are in ${own}, your own zone; the organization’s is ${organization}`,
  },
  failures: {
    posts: (many: number): string =>
      many >= FAILED_MAX
        ? `${number(many)} posts or more were not published.`
        : `${count(many, 'post was', 'posts were')} not published.`,
    seePosts: 'See why',
    tokens: (many: number): string =>
      `The platform refuses ${count(many, 'access token')}: nothing is published or read there.`,
    seeTokens: (mayConnect: boolean): string => (mayConnect ? 'Connect again' : 'See which'),
  },
  password: {
    title: 'Change password',
    present: 'Current password',
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
    select: 'Select or clear the post, to decide about several at once',
    undo: 'Undo the last decision',
    calendar:
      'In the calendar: arrow keys move between days, Page Up and Page Down between months, Enter opens, M moves a post',
  },
}
