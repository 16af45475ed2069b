import type { MediaProblem } from '../../interface/generated/types.ts'
import type { outsideMediaWords as english } from './outside-media.words.ts'

const reasons: Record<MediaProblem, string> = {
  UNREACHABLE: 'seine Adresse war nicht zu erreichen',
  REFUSED: 'seine Adresse gibt es diesem Dienst nicht',
  REDIRECTS: 'seine Adresse leitet zu oft weiter, oder zu keiner Webadresse',
  PRIVATE: 'seine Adresse ist eine private',
  TOO_LARGE: 'es ist zu groß, um vor jeder Entscheidung gelesen zu werden',
  TOO_SLOW: 'es kam zu langsam',
  OFF: 'dieser Dienst ist so eingestellt, dass er von fremden Adressen nichts liest',
  CHANGED: 'zur Zeit des Beitrags war es ein anderes',
}

/** These texts are about media at an address outside, and about posters. */
export const outsideMediaWords: typeof english = {
  checking: 'Das Bild oder Video liegt an einer Adresse außerhalb dieses Dienstes. Es wird gerade gelesen…',
  willBeFixed:
    'Das Bild oder Video liegt an einer Adresse außerhalb dieses Dienstes. Die Freigabe hält fest, was jetzt dort liegt: Ist es zur Zeit des Beitrags etwas anderes, kommt der Beitrag zur Freigabe zurück.',
  fixed:
    'Die Freigabe hat festgehalten, was an der Adresse des Bildes oder Videos liegt. Nichts anderes wird von dort veröffentlicht.',
  notFixed: (problem) =>
    `Das Bild oder Video ist nicht festgelegt: ${reasons[problem]}. Es kann nach der Freigabe an seiner Adresse ersetzt werden, und veröffentlicht wird, was dann dort liegt. Laden Sie die Datei stattdessen hoch, um sicher zu sein.`,
  unknown:
    'Das Bild oder Video liegt an einer Adresse außerhalb dieses Dienstes und konnte gerade nicht gelesen werden. Die Freigabe legt es vielleicht nicht fest.',
  changed:
    'Zur Zeit des Beitrags lag an der Adresse nicht mehr das Bild oder Video, das freigegeben war. Sehen Sie es sich noch einmal an, bevor Sie entscheiden.',
  frame: 'Ein Bild aus dem Video',
  frameHint:
    'Das Bild im Player ist ein Vorschaubild, das wählen kann, wer das Video hochlädt. Dieses hier ist aus dem Video.',
}
