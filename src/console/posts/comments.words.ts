import type {
  AutomationMode,
  CommentReason,
  EffectName,
  EffectReason,
  EffectState,
} from '../../interface/automation.ts'
import { common } from '../words.ts'

const { count } = common

const comments: Record<CommentReason, string> = {
  matched: 'Matched',
  no_match: 'No condition matches',
  inactive: 'The superpower is not active',
  expired: 'The superpower had expired',
  chance: 'Left out by chance',
  users_limit: 'The limit of people is reached',
  time_limit: 'The person was answered shortly before',
  own_comment: 'Written by the page',
  reply_to_us: 'A reply to the page',
  before_switch: 'Older than the switch',
  switched_off: 'Superpowers were switched off',
  stopped: 'The superpower was stopped',
  opted_out: 'The person asked for no automatic messages',
  human_first: 'A person of the page answered first',
  too_old: 'Older than 7 days',
  no_person: 'The platform does not say who wrote it',
}

const effectReasons: Record<EffectReason, string> = {
  chance: 'left out by chance',
  no_private_reply: 'the private reply did not go out',
  dry_run: 'dry run',
  person_answered: 'the person has had the one private reply of this post',
  window: 'too late for the platform, which allows 7 days',
  late: 'an hour too late',
  opted_out: 'the person asked for no automatic messages',
  human_first: 'a person of the page answered first',
  stopped: 'the superpower was stopped',
  switched_off: 'superpowers were switched off',
  channel_stopped: 'the channel is stopped or not connected',
  comment_deleted: 'the comment is gone',
  person_forgotten: 'the person was erased',
  already_replied: 'there was a private reply already',
  not_replyable: 'the comment cannot be answered',
  not_eligible: 'the platform allows no reply to it',
  not_a_follower: 'the person does not follow the account',
  unavailable: 'the person cannot be reached',
  other_app: 'another app has the conversation',
  refused: 'refused by the platform',
  throttled: 'the platform asks to wait',
  unreachable: 'the platform cannot be reached',
  answer_lost: 'the answer was lost: it may be out, and is not sent again',
}

const effects: Record<EffectName, string> = {
  private_reply: 'Private reply',
  public_reply: 'Public reply',
  like: 'Like',
  message: 'Message',
}

const states: Record<EffectState, string> = {
  planned: 'planned',
  attempting: 'under way',
  done: 'sent',
  refused: 'refused',
  unknown: 'unknown',
  skipped: 'skipped',
}

const modes: Record<AutomationMode, string> = { off: 'Off', shadow: 'Dry run', on: 'On' }

export const words = {
  title: 'Comments',
  hint: 'Every comment that was seen, with what its superpower did, and why.',
  none: 'No comment was seen yet',
  noneText: 'Comments appear here within a minute.',
  optOut: 'Opt out',
  optOutTitle: (name: string): string => `Send ${name} no automatic messages?`,
  optOutText: 'Superpowers no longer answer this person on this channel. Settings, Channels, Opted out takes it back.',
  optedOut: (name: string): string => `${name} gets no automatic messages any more`,
  more: 'Show more',
  comments,
  effectReasons,
  effects,
  states,
  mode: (mode: AutomationMode): string => `Superpowers: ${modes[mode].toLowerCase()}`,
  counts: (total: number, matched: number): string => `${count(total, 'comment')}, ${matched} matched`,
  sent: (sent: number): string => `${sent} sent`,
  unknown: (unknown: number): string => `${unknown} unknown`,
  newest: (at: string): string => `newest comment ${at}`,
  lastRead: (at: string): string => `last read ${at}`,
  notRead: (why: string): string => `Comments cannot be read: ${why}`,
  platformStopped: (why: string): string => `The platform stopped the channel: ${why}`,
  stopped: (at: string, reason: string): string => `Stopped ${at}: ${reason}`,
  stop: 'Stop the superpower',
  stopTitle: (channel: string): string => `Stop the superpower on ${channel}?`,
  stopText:
    'It answers nobody any more: what is planned is skipped. It stays stopped, and its hashtag is free for other posts.',
  reason: 'Reason',
  wasStopped: 'The superpower is stopped',
  byGroup: (group: number): string => `Group ${group + 1}`,
  unnamed: 'Unknown person',
  tryTitle: 'Try it out',
  tryHint: 'Nothing is stored or sent.',
  tryComment: 'A comment',
  tryName: 'Written by',
  try: 'What would happen?',
  nothing: 'Nothing is sent.',
  notExecuted: 'Kept, and not executed',
  warnings: 'Worth a look',
}
