import { common } from '../words.ts'

export const channelRoleWords = {
  action: 'Roles in channels',
  title: (name: string): string => `In some channels, ${name} has another role`,
  lead: 'The role and the right to approve in the organization hold in every channel that is not named here. Reading is not limited: every member reads everything. Saved texts, segments and settings follow the role in the organization.',
  list: 'Channels with another role',
  none: 'No channel is named: the role in the organization holds in all of them.',
  role: (channel: string): string => `Role in ${channel}`,
  approves: (channel: string): string => `Approves posts in ${channel}`,
  remove: (channel: string): string => `Remove ${channel}`,
  channel: 'Channel',
  add: 'Add',
  noChannels: 'There is no channel yet.',
  inChannels: (many: number): string => `another role in ${common.count(many, 'channel')}`,
}
