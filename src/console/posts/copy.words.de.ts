import { common } from '../words.ts'
import type { copyWords as english } from './copy.words.ts'

/** These texts are about copies of a post. */
export const copyWords: typeof english = {
  duplicate: 'Duplizieren',
  toChannel: 'Auf einen anderen Kanal kopieren…',
  title: 'Auf einen anderen Kanal kopieren',
  from: 'Text von',
  to: 'Nach',
  noOther: 'Es gibt keinen anderen Kanal, auf den er kopiert werden kann.',
  add: 'Zu diesem Beitrag hinzufügen',
  added: (channel) => `${channel} ist mit diesem Text hinzugefügt. Es ist noch nicht gespeichert.`,
  newDraft: 'Neuen Entwurf beginnen',
  newDraftHint:
    'Der neue Entwurf hat den Text, die Superkraft, das Bild oder Video und die Notizen, aber noch keine Zeit.',
  leftOut: (hashtags) =>
    `${hashtags.length === 1 ? 'Der Hashtag' : 'Die Hashtags'} ${common.list(hashtags)} ${hashtags.length === 1 ? 'bleibt' : 'bleiben'} beim Original, denn auf jedem Kanal gehört ein Hashtag jeweils einem Beitrag. Geben Sie der Superkraft dieser Kopie einen anderen.`,
  goneChannels: (channels) =>
    `${common.list(channels)} ${channels.length === 1 ? 'wurde gelöscht und fehlt' : 'wurden gelöscht und fehlen'} deshalb in der Kopie.`,
}
