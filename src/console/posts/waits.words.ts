import type { LateCause, WaitReason } from '../../interface/post-waits.ts'

const reasons: Record<WaitReason, string> = {
  publisher_off: 'No process of this server publishes: tell the people who run it',
  organization_inactive: 'The organization is not active',
  token_unreadable: "The server cannot open the channel's access token: tell the people who run it",
  rate_limit_app: 'The platform limits the calls of the app',
  rate_limit_channel: 'The platform limits the calls for this page or account',
  posting_quota: 'The account has used up its posts of the day',
  platform_unreachable: 'The platform does not answer',
  platform_down: 'The platform has a problem of its own',
  media_unreachable: 'The picture or video cannot be read at its address',
  answer_lost: "The platform's answer was lost: the post is looked for on the channel",
  same_text: 'Another post with the same text is being published on the channel',
  processing: 'The platform is still working on the picture or video',
  interrupted: 'The server stood still right before publishing, and tries again',
  in_progress: 'It is being published now',
  queue: 'Other posts are before it',
}

const causes: Record<LateCause, string> = {
  publisher_off: 'No process was publishing at its time',
  database_away: 'The server could not reach its database',
  clock_jumped: 'The clock of the server jumped, or the server stood still',
  queue: 'Other posts were before it',
}

/** These texts say why a post that is due is not out. */
export const words = {
  reasons,
  causes,
  late: (reason: WaitReason): string => `Late: ${reasons[reason]}`,
  nextTry: (time: string): string => `Next try: ${time}`,
}
