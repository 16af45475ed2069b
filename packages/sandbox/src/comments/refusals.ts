import { graphError, type SandboxAnswer } from '../answers.js'

const refusal = (code: number, subcode: number | undefined, message: string, status = 400): SandboxAnswer =>
  graphError({ status, code, subcode, message: `(#${code}) ${message}` })

/** The platform's refusals of answers to comments, each with its own code. */
export const REFUSALS = {
  alreadyReplied: refusal(10900, undefined, 'Activity already replied to'),
  notReplyable: refusal(10903, undefined, 'This activity cannot be replied to'),
  notEligible: refusal(100, 2534025, 'The comment is too old, was replied to, or is not eligible for a private reply'),
  notAFollower: refusal(10, 1545133, 'A template cannot be sent to a person who does not follow the account'),
  outsideWindowOfPage: refusal(10, 2018278, 'This message is sent outside of allowed window.'),
  outsideWindowOfInstagram: refusal(10, 2534022, 'This message is sent outside of allowed window.'),
  unavailable: refusal(551, 1545041, "This person isn't available right now."),
  notATester: refusal(10, 2018108, 'The app cannot send messages to people who have no role in it'),
  otherApp: refusal(10, 2018300, 'The thread is controlled by another app'),
  noSuchPersonOfPage: refusal(100, 2018001, 'No matching user found'),
  noSuchPersonOfInstagram: refusal(100, 2534014, 'The requested user cannot be found.'),
  tooManyToPage: refusal(80001, undefined, 'There have been too many calls to this Page account.'),
  tooManyMessages: refusal(80006, undefined, 'There have been too many messages sent from this Page.'),
  tooManyCalls: refusal(613, undefined, 'Calls to this api have exceeded the rate limit.'),
  tooManyOfApp: refusal(4, undefined, 'Application request limit reached'),
  blocked: refusal(368, 1390008, 'The action attempted has been deemed abusive or is otherwise disallowed'),
  tokenInvalid: refusal(190, 460, 'The session has been invalidated because the user changed their password', 401),
  notPermitted: refusal(200, undefined, 'Requires pages_manage_engagement permission', 403),
  failedUnknown: refusal(1, undefined, 'An unknown error has occurred.', 500),
  failedService: refusal(2, undefined, 'Service temporarily unavailable', 503),
} as const satisfies Record<string, SandboxAnswer>
