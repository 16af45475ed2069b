import { common } from '../words.ts'

const { count } = common

export const toolsWords = {
  feed: {
    title: 'In your calendar program',
    lead: 'A secret address at which your calendar program reads the posts of this organization, from 30 days before to 180 days ahead. Everyone who has the address can read their texts: keep it to yourself.',
    none: 'You have no such address yet.',
    since: (time: string): string => `Your address is from ${time}. It cannot be shown again.`,
    make: 'Make an address',
    replace: 'Make a new address',
    replaceHint: 'A new address ends the one that you have.',
    remove: 'Delete the address',
    removed: 'The address is deleted.',
    made: 'Your calendar address',
    madeLead: 'Add it to your calendar program as a subscription. It is shown only now.',
    address: 'Address',
  },
  slots: {
    title: 'Posting slots',
    lead: (zone: string): string =>
      `The weekly times at which the posts of a channel are to go out, in ${zone}. The calendar proposes them; nothing is published by itself.`,
    channel: 'Channel',
    noChannels: 'There is no channel yet.',
    weekday: 'Weekday',
    time: 'Time',
    add: 'Add',
    none: 'No slots yet.',
    remove: (day: string, time: string): string => `Remove ${day} ${time}`,
    saved: (many: number): string => (many === 0 ? 'The channel has no slots now.' : `${count(many, 'slot')} saved.`),
    list: 'Slots of the channel',
  },
}
