import { graphError } from './answers.js'
import type { Breakage } from './breakage.js'
import { COMMENT_BREAKAGES } from './comments/comment-breakages.js'

/** The breakages of the panel, by name. */
export const BREAKAGES: Record<string, Breakage> = {
  down: {
    title: 'The platform fails',
    text: 'It answers every call with an error. Posts that are due are retried until it is back; insights show the error.',
    seconds: 60,
    on: 'every call',
    fault: {
      kind: 'answer',
      answer: graphError({ status: 503, code: 2, message: 'Service temporarily unavailable', isTransient: true }),
    },
  },
  lost: {
    title: 'Answers are lost',
    text: 'Posts are published, but the connection is cut instead of a response. The service looks for the post on the page and publishes it only once.',
    seconds: 120,
    on: 'calls that publish',
    fault: { kind: 'accepted-then-reset' },
  },
  killed: {
    title: 'The publisher is killed',
    text: 'This happens during the next post: once the platform has published it, everything that the publisher was doing is dropped, as by kill -9, and no response reaches it. Five seconds later another publisher starts, takes over its posts and finds what is published on the page. The post is published once.',
    seconds: 600,
    on: 'calls that publish',
    fault: { kind: 'accepted-then-reset' },
    once: 'killPublisher',
  },
  slow: {
    title: 'The media takes time',
    text: 'Videos and pictures for Instagram are processed for a while before they can be published.',
    seconds: 120,
    on: 'videos and containers',
    fault: { kind: 'processing', polls: 3 },
  },
  revoked: {
    title: 'The token is revoked',
    text: 'The page and the Instagram account reject the token. Posts fail with this reason, and the channels ask to be connected again. When this is over, connect them again and retry the posts.',
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
