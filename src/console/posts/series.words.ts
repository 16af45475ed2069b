import type { RecurrenceRule } from '../../interface/generated/types.ts'
import { common } from '../words.ts'

const { count, list, number } = common

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const weekday = (day: number): string => WEEKDAYS[day - 1] ?? ''

/** These texts are about posts that repeat. */
export const seriesWords = {
  title: 'Series',
  repeat: 'Repeat…',
  dialogTitle: 'Repeat the post',
  lead: 'Each time becomes a draft of its own with what this post says now. Each is approved by itself, and a change of one leaves the others.',
  saveFirst: 'Save the post first, so that the copies have what you typed.',
  hashtags: (hashtags: string[]): string =>
    `The superpower of this post has ${list(hashtags)}. On each channel a hashtag belongs to one post at a time, so the post cannot repeat with it: take it out first.`,
  frequency: 'How often',
  frequencyOf: { DAILY: 'Every day', WEEKLY: 'Every week', MONTHLY: 'Every month' },
  weekdays: 'On',
  weekday,
  dayOfMonth: 'On day',
  dayOfMonthHint: 'A shorter month has its last day instead.',
  time: 'At',
  timeHint: (zone: string): string =>
    `In ${zone}. Where the clocks leap over this time, the post comes as much later; where they show it twice, at the first one.`,
  from: 'From',
  end: 'Until',
  endOf: { count: 'So many posts', until: 'A day' },
  count: 'Posts',
  until: 'Last day',
  dates: (many: number): string => `${count(many, 'draft')} will be made`,
  none: 'No time of this rule lies ahead.',
  tooMany: (max: number): string => `These are more than ${number(max)} posts. Choose an earlier end.`,
  create: (many: number): string => `Make ${count(many, 'draft')}`,
  created: (many: number): string => `${count(many, 'draft is', 'drafts are')} made.`,
  rule: ({ frequency, weekdays = [], dayOfMonth = 1, time }: RecurrenceRule, zone: string): string => {
    const days = {
      DAILY: 'Every day',
      WEEKLY: `Every week on ${list(weekdays.map(weekday))}`,
      MONTHLY: `Every month on day ${number(dayOfMonth)}`,
    }
    return `${days[frequency]}, at ${time} in ${zone}.`
  },
  isThis: 'this post',
  isFirst: 'the first one',
  stopped: 'The series is stopped.',
  stop: 'Stop the series…',
  stopTitle: 'Stop the series?',
  stopText:
    'Its posts that lie ahead and are not decided yet are deleted. This post is among them if it is one of these. The others stay.',
  stopSubmit: 'Stop and delete',
  stoppedNow: (many: number): string =>
    many === 0 ? 'The series is stopped.' : `The series is stopped: ${count(many, 'post is', 'posts are')} deleted.`,
}
