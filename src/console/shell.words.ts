import { common } from './words.ts'

const { number } = common

export const words = {
  skip: 'Skip to the content',
  connectionLost: 'Greenroom does not answer. What you see may be old; it tries again by itself.',
  connectionBack: 'Greenroom answers again.',
  notFoundTitle: 'Page not found',
  notFound: 'There is no page at this address. It may have been moved or mistyped.',
  toStart: 'Go to the home page',
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
    calendar:
      'In the calendar: arrow keys move between days, Page Up and Page Down between months, Enter opens, M moves a post',
  },
}
