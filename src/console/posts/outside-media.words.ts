import type { MediaProblem } from '../../interface/generated/types.ts'

const reasons: Record<MediaProblem, string> = {
  UNREACHABLE: 'its address could not be reached',
  REFUSED: 'its address does not give it to this service',
  REDIRECTS: 'its address leads on too often, or to no web address',
  PRIVATE: 'its address is a private one',
  TOO_LARGE: 'it is too large to be read before each decision',
  TOO_SLOW: 'it came too slowly',
  OFF: 'this service is set not to read from addresses outside',
  CHANGED: 'it was another one when the post was due',
}

/** These texts are about media at an address outside, and about posters. */
export const outsideMediaWords = {
  checking: 'The picture or video is at an address outside this service. It is being read…',
  willBeFixed:
    'The picture or video is at an address outside this service. The approval records what is there now: if something else is there when the post is due, the post comes back for approval.',
  fixed:
    'The approval has recorded what is at the address of the picture or video. Nothing else is published from there.',
  notFixed: (problem: MediaProblem): string =>
    `The picture or video is not fixed: ${reasons[problem]}. It can be replaced at its address after the approval, and what is there then is published. Upload the file instead to be sure.`,
  unknown:
    'The picture or video is at an address outside this service, and could not be read just now. It may not be fixed by the approval.',
  changed:
    'When the post was due, the picture or video at its address was no longer the one that was approved. Look at it again before you decide.',
  frame: 'A frame of the video',
  frameHint:
    'The picture in the player is a poster, which the person who uploaded the video can choose. This is from the video.',
}
