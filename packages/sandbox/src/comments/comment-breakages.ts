import type { Breakage } from '../breakage.js'
import { REFUSALS } from './refusals.js'

const SECONDS = 120
const ANSWERS = 'answers to comments'
const PRIVATE = 'private replies'

/** These breakages affect the calls that answer comments. */
export const COMMENT_BREAKAGES: Record<string, Breakage> = {
  answersLost: {
    title: 'Answers to comments are lost',
    text: 'Replies, messages and likes are carried out, but the connection is cut instead of a response. The service never sends them again; the result of each is unknown.',
    ...{ seconds: SECONDS, on: ANSWERS, fault: { kind: 'accepted-then-reset' } },
  },
  answersCut: {
    title: 'The connection is cut first',
    text: 'Replies, messages and likes are not carried out. The service cannot distinguish this from a lost answer, so the result of each is unknown too.',
    ...{ seconds: SECONDS, on: ANSWERS, fault: { kind: 'reset' } },
  },
  answersFail: {
    title: 'Answers to comments fail',
    text: 'The platform reports a failure with code 2, and does not say how far it got. The result of each answer is unknown.',
    ...{ seconds: SECONDS, on: ANSWERS, fault: { kind: 'answer', answer: REFUSALS.failedService } },
  },
  humanInbox: {
    title: 'A human answers first in the inbox',
    text: 'A person at the page answers each new comment privately before the service receives it. The only private reply is used up: the service finds that the comment was already answered.',
    ...{ seconds: SECONDS, habit: 'inbox' },
  },
  humanPublic: {
    title: 'A human answers first beneath the comment',
    text: 'A person at the page replies publicly to each new comment before the service receives it.',
    ...{ seconds: SECONDS, habit: 'publicly' },
  },
  followersOnly: {
    title: 'Followers only',
    text: 'The person does not follow the account: the private reply is refused, but still used up.',
    ...{ seconds: SECONDS, on: PRIVATE, fault: { kind: 'spends-reply', answer: REFUSALS.notAFollower } },
  },
  unavailable: {
    title: 'The person is unavailable',
    text: 'People who commented cannot receive messages.',
    ...{ seconds: SECONDS, on: PRIVATE, fault: { kind: 'answer', answer: REFUSALS.unavailable } },
  },
  otherApp: {
    title: 'Another app has the conversations',
    text: 'Private replies are refused, because another app controls the threads.',
    ...{ seconds: SECONDS, on: PRIVATE, fault: { kind: 'answer', answer: REFUSALS.otherApp } },
  },
  throttled: {
    title: 'Too many calls',
    text: 'The platform refuses answers to comments for now. The service waits, and sends all of them afterwards.',
    ...{ seconds: SECONDS, on: ANSWERS, fault: { kind: 'answer', answer: REFUSALS.tooManyCalls } },
  },
  likesLocked: {
    title: 'Likes are locked out',
    text: 'Every like is refused, as after more than fifty in five seconds. The real lockout lasts an hour.',
    ...{ seconds: SECONDS, on: 'likes', fault: { kind: 'answer', answer: REFUSALS.tooManyCalls } },
  },
  blocked: {
    title: 'The page is blocked as abusive',
    text: 'The platform refuses answers to comments. The channel stops until someone starts it again.',
    ...{ seconds: SECONDS, on: ANSWERS, fault: { kind: 'answer', answer: REFUSALS.blocked } },
  },
  notPermitted: {
    title: 'A permission is missing',
    text: 'The token may no longer answer comments. The channel stops.',
    ...{ seconds: SECONDS, on: ANSWERS, fault: { kind: 'answer', answer: REFUSALS.notPermitted } },
  },
  doubled: {
    title: 'Comments are delivered twice and shuffled',
    text: 'Each new comment is delivered twice at once, among earlier ones and in any order. Each is answered once.',
    ...{ seconds: SECONDS, habit: 'doubled' },
  },
}
