import type { Media, MediaRefusal, PostAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'

const { count, list, number } = common

const ACTIONS: Record<PostAction, string> = {
  created: 'created it',
  updated: 'changed it',
  submitted: 'asked for approval',
  approved: 'approved it',
  rejected: 'returned it',
  reverted: 'reverted it to draft',
  retried: 'scheduled it again',
  claimed: 'started to publish it',
  waits: 'has to wait with it',
  published: 'published it',
  failed: 'could not publish it',
  deleted: 'deleted it',
}

const ACTION_WORDS: Record<string, string> = {
  COMMENTED: 'comments',
  LIKED: 'likes the post',
  SHARED: 'shares the post',
  MESSAGED: 'writes a message',
}

const quote = (text: string): string => `“${text}”`

const FILE_KINDS: Record<string, string> = {
  'image/jpeg': 'JPEG picture',
  'image/png': 'PNG picture',
  'video/mp4': 'MP4 video',
  'video/quicktime': 'QuickTime video',
}

const fileKind = (contentType: string): string => FILE_KINDS[contentType] ?? contentType

/** Thousands of bytes below a million. */
const fileSize = (bytes: number): string =>
  bytes < 100_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.ceil(bytes / 100_000) / 10)} MB`

const FILE_TYPES: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
}

/** These texts are about posts: the editor, previews and histories. */
export const postWords = {
  action: ACTIONS,
  fileKind,
  fileSize,
  actor: (type: string, id: string): string =>
    ({ operator: 'The operator', publisher: 'The publisher', key: `Key ${id}`, user: 'A member' })[type] ?? type,
  deletedAccount: 'A deleted account',
  tookBack: 'took their decision back',
  changedOn: (channel: string): string => `text or superpower on ${channel}`,
  overdue: 'Overdue',
  noTime: 'No time yet',
  altText: 'Description of the picture',
  aiGenerated: 'Made or edited with AI',
  preview: {
    label: (name: string, type: string): string => `As ${name} will show it (${type})`,
    noText: 'No text yet',
    noMedia: 'No picture or video yet',
    imageAlt: 'The picture of the post',
    imageFailed: 'The picture cannot be shown here',
    video: 'The video of the post',
    videoFailed: 'The video cannot be played here',
    more: { instagram: 'more', facebook: 'See more' },
    less: 'Show it as the feed folds it',
    gone: 'This file was deleted from the library: the post needs another one.',
    openMedia: 'Open it in a new tab',
  },
  superpower: {
    title: (name: string): string => (name === '' ? 'Superpower' : `Superpower: ${name}`),
    inactive: 'It is inactive.',
    hashtag: (hashtag: string): string => `Its hashtag is ${hashtag}.`,
    when: (conditions: string[]): string =>
      conditions.length === 0 ? 'Always:' : `When someone ${conditions.join(', or ')}:`,
    condition: (action: string, values: string[], logic: string): string => {
      const does = ACTION_WORDS[action] ?? (action === '' ? 'reacts' : `does ${action}`)
      if (values.length === 0) return does
      const said = list(values.map(quote))
      return `${does} with ${logic === 'ANY_VALUE' ? 'any of ' : ''}${said}`
    },
    publicReply: (text: string): string => `answer in public${text === '' ? '' : `: ${quote(text)}`}`,
    privateReply: (text: string): string => `send a message${text === '' ? '' : `: ${quote(text)}`}`,
    like: 'like what they wrote',
    takesPart: 'enter them into the raffle',
    timeLimit: (many: number, unit: string): string => `once every ${count(many, unit.toLowerCase())} for each person`,
    target: (what: string, many: number): string => `Target: ${count(many, what)}.`,
    raffle: (winners: number | undefined, end: string | undefined): string =>
      `Raffle${winners === undefined ? '' : ` with ${count(winners, 'winner')}`}${end ? `, until ${end}` : ''}.`,
    usersLimit: (many: number): string => `For ${count(many, 'person', 'people')} at most.`,
    expires: (time: string): string => `Ends ${time}.`,
  },
  editor: {
    title: 'Post',
    titleOf: (name: string): string => `Post: ${name}`,
    backTo: (page: string): string => `Back to ${page}`,
    newTitle: 'New post',
    channels: 'Channels and text',
    noChannels: 'There is no channel yet: ask an administrator to connect one.',
    noChannel: 'Choose a channel to see how it will look.',
    notConnected: 'not connected',
    caption: (channel: string): string => `Text on ${channel}`,
    count: (what: string, many: number, max: number): string => `${number(many)} of ${number(max)} ${what}`,
    tooMuch: (limits: string[]): string => `Too much for this channel: at most ${list(limits)}.`,
    copy: 'Use on all channels',
    copied: 'The text is on all channels.',
    superpower: (channel: string): string => `Superpower on ${channel}`,
    superpowerNone: 'None',
    superpowerNew: 'Write one…',
    superpowerEdit: 'Edit…',
    superpowerOwn: (name: string): string => (name === '' ? 'Custom' : `${name} (custom)`),
    superpowerKept: (name: string): string => (name === '' ? 'Unchanged' : `Unchanged: ${name}`),
    media: 'Picture or video',
    mediaUrl: 'Web address',
    mediaHint: 'Both platforms fetch the file from there, so it must be public.',
    mediaNoUrl: 'An address begins with https:// or http://.',
    upload: 'Upload a file…',
    uploadHint: 'Or drop it here: a picture, or a video as MP4 or QuickTime.',
    uploading: (name: string, part: number): string =>
      part < 1 ? `${name}: ${Math.floor(part * 100)} %` : `${name}: being checked…`,
    uploaded: (name: string): string => `${name} is uploaded.`,
    mediaFacts: ({ contentType, bytes, width, height, durationMs }: Media): string =>
      list([
        fileKind(contentType),
        `${number(width)} × ${number(height)} pixels`,
        ...(durationMs === undefined ? [] : [count(Math.round(durationMs / 1000), 'second')]),
        fileSize(bytes),
      ]),
    mediaRefused: (channel: string, problems: string[]): string => `${channel} accepts only ${list(problems)}.`,
    mediaProblem: (problem: MediaRefusal): string => {
      switch (problem.what) {
        case 'type':
          return problem.types.map((type) => FILE_TYPES[type] ?? type).join(' or ')
        case 'size':
          return `files of at most ${number(problem.mibMax)} MiB`
        case 'ratio':
          return `a width from ${number(problem.min)} to ${number(problem.max)} times the height (it is ${number(problem.is)} times)`
        case 'width':
          return `a width of at most ${number(problem.max)} pixels`
        case 'duration':
          return `videos of ${number(problem.minSeconds)} seconds to ${number(problem.maxMinutes)} minutes`
      }
    },
    mediaType: 'Type',
    image: 'Picture',
    video: 'Video',
    when: 'When',
    nextSlot: (time: string, channel: string): string => `Next free slot: ${time} on ${channel}`,
    crowded: (many: number): string =>
      `${count(many, 'other post goes', 'other posts go')} out on the same channel less than an hour from this one:`,
    time: 'Date and time',
    timeZone: (zone: string): string => `In ${zone}`,
    timeThere: (time: string, zone: string): string => `${time} in ${zone}`,
    timeUnreadable: 'Write a date and a time.',
    timeNever: (zone: string): string =>
      `This time does not exist in ${zone}: the clocks go forward then. Choose another.`,
    timeTwice: 'This time occurs twice, because the clocks go back then. Choose one.',
    timePast: 'This time has passed. Choose one in the future.',
    whichOne: 'Which one?',
    occurrence: (which: 'earlier' | 'later', offset: string): string =>
      `${which === 'earlier' ? 'The first' : 'The second'} (UTC${offset})`,
    notes: 'Notes',
    notesHint: 'For your colleagues; never published.',
    preview: 'Preview',
    saveDraft: 'Save as draft',
    saveAndAsk: 'Save and ask for approval',
    submit: 'Ask for approval',
    decide: 'Review it',
    revert: 'Revert to draft',
    revertTitle: 'Revert the post to draft?',
    toCalendar: 'All posts',
    revertText: 'It will not be published until it is approved again.',
    reverted: 'Reverted to draft.',
    delete: 'Delete',
    deleteTitle: 'Delete the post?',
    deleteText: 'This cannot be undone. Its history stays.',
    deleted: 'Deleted.',
    saved: 'Saved.',
    savedAndUnapproved: 'Saved. The content has changed, so the post waits for approval again.',
    submitted: 'Saved and submitted for approval.',
    missing: (what: string): string => `Before it can be approved it needs ${what}.`,
    lacks: (what: string, isApproved: boolean): string =>
      `It needs ${what} before it can be saved.${isApproved ? ' Revert it to draft to save it without.' : ''}`,
    conflictFirst: 'Decide first whose changes are kept.',
    timeFirst: 'Correct the time first.',
    mediaFirst: 'Choose another picture or video first.',
    shortenFirst: 'Shorten the text first.',
    nothingToSave: 'Nothing has changed yet.',
    missingChannel: 'a channel',
    missingText: 'a text on each channel',
    missingMedia: 'a picture or video',
    missingTime: 'a time in the future',
    most: (what: string, max: number): string => `${number(max)} ${what}`,
    permissionMissing: 'You can view this post but not change it. Ask an administrator for permission.',
    restored: 'Your earlier changes are still here and not saved yet.',
    discard: 'Discard them',
    conflict: (who: string, what: string): string =>
      `${who === '' ? 'Someone' : who} changed this post while you were writing${what === '' ? '' : `: ${what}`}. Nothing is overwritten until you say so.`,
    keepMine: 'Keep my changes',
    takeTheirs: 'Discard my changes',
    scheduledNote: 'Approved: it is published at its time. If you change its content, it needs to be approved again.',
    publishingNote: 'It is being published now and can no longer be changed.',
    publishedNote: 'It is published.',
    failedNote: 'It could not be published everywhere.',
    seeIt: (channel: string): string => `See it on ${channel}`,
    retryTitle: 'Try again',
    retryTime: 'New date and time',
    retry: 'Schedule again',
    retryNow: 'Try again now',
    retryHint: 'Only the channels on which it failed are tried again.',
    repairHint: 'It is out nowhere yet, so you can also change it below. It then needs to be approved again.',
    copyHint: 'It is out on a channel, so its content stays. Duplicate it to publish something else.',
    removeMedia: 'Remove the picture or video',
  },
}

/** These texts are about the editor of superpowers. */
export const superpowerWords = {
  title: 'Superpower',
  closeTyped: 'What you typed is not used yet. Close it and lose that?',
  titleOf: (name: string): string => `Saved superpower: ${name}`,
  fields: {
    name: 'Name',
    hashtag: 'Hashtag',
    active: 'Active',
    action: 'When someone',
    values: 'With one of these words',
    publicReplies: 'Answer in public',
    privateReplies: 'Send a message',
    autoLike: 'Like what they wrote',
    takesPart: 'Enter them into the raffle',
    groupName: 'Name of the group',
    probability: 'Share of comments, from 0 to 1',
    usersLimit: 'At most so many people',
    timeLimit: 'The same person once in so many hours',
    privateDelay: 'Hours until the message',
    publicDelay: 'Hours until the public answer',
    winners: 'Winners of the raffle',
    raffleEnd: 'End of the raffle',
    winnersReply: 'Message to the winners',
    losersReply: 'Message to the others',
  },
  nameHint: 'Your colleagues find it by this name when it is saved.',
  hashtagHint: 'On each channel a hashtag belongs to one post at a time.',
  always: 'does anything',
  actions: ACTION_WORDS,
  valuesHint: 'One per line. Leave it empty for any words.',
  repliesHint: 'If there are several, the comment decides which one is sent.',
  replyLabel: (label: string, place: number): string => (place === 0 ? label : `${label} (${place + 1})`),
  addReply: 'Add another text',
  removeReply: 'Remove',
  json: 'Edit as JSON',
  jsonHint: 'Use this for settings that the form does not have: more conditions, media, buttons.',
  group: (place: number): string => `Group ${place + 1}`,
  groupName: (place: number, name: string): string => `Group ${place + 1}${name === '' ? '' : `: ${name}`}`,
  shownGroup: 'The group that is shown',
  addGroup: 'Add a group',
  removeGroup: 'Remove this group',
  earlier: 'Move up',
  later: 'Move down',
  limits: 'Limits and delays',
  shareHint: 'Empty: all of them. Which ones is decided by the comment, always the same way.',
  noJson: (message: string): string =>
    `This is not valid JSON for a superpower${message === '' ? '' : `: ${message}`}.`,
  useHere: 'Use in this post',
  saveForAll: 'Save for other posts too',
  saveChanges: 'Save the changes',
  saved: (name: string): string => `${name} is saved. Posts that have a copy keep theirs.`,
  deleteText: (name: string): string => `Delete ${name}? Posts that have a copy keep it.`,
  deleted: (name: string): string => `${name} is deleted.`,
}
