import { graphError } from './answers.js'
import type { Breakage } from './breakage.js'
import { COMMENT_BREAKAGES } from './comments/comment-breakages.js'

/** The breakages of the panel, by name. */
export const BREAKAGES: Record<string, Breakage> = {
  down: {
    title: 'The platform fails',
    text: 'It answers every call with an error. Posts that are due are tried again until it is back; insights say what is wrong.',
    seconds: 60,
    on: 'every call',
    fault: {
      kind: 'answer',
      answer: graphError({ status: 503, code: 2, message: 'Service temporarily unavailable', isTransient: true }),
    },
  },
  lost: {
    title: 'Answers are lost',
    text: 'What is published is carried out, and the connection is cut in place of the answer. The service looks for it on the page: it goes out once.',
    seconds: 120,
    on: 'calls that publish',
    fault: { kind: 'accepted-then-reset' },
  },
  killed: {
    title: 'The publisher is killed',
    text: 'In the middle of the next post: as the platform has carried it out, all that the publisher was doing is dropped, as by kill -9, and no answer reaches it. Five seconds later another one starts, takes its posts over and finds on the page what is out: it goes out once.',
    seconds: 600,
    on: 'calls that publish',
    fault: { kind: 'accepted-then-reset' },
    once: 'killPublisher',
  },
  slow: {
    title: 'The media takes its time',
    text: 'Videos and pictures for Instagram are processed for a while before they can be published.',
    seconds: 120,
    on: 'videos and containers',
    fault: { kind: 'processing', polls: 3 },
  },
  revoked: {
    title: 'The token is revoked',
    text: 'The page and the Instagram account refuse the token. Posts fail with the reason, and the channels ask to be connected again. When this is over, connect them again and retry the posts.',
    seconds: 120,
    on: 'calls of pages and accounts',
    fault: {
      kind: 'answer',
      answer: graphError({
        status: 401,
        code: 190,
        subcode: 460,
        message:
          'Error validating access token: The session has been invalidated because the user changed their password',
      }),
    },
  },
  ...COMMENT_BREAKAGES,
}
