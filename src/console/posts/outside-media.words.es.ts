import type { MediaProblem } from '../../interface/generated/types.ts'
import type { outsideMediaWords as english } from './outside-media.words.ts'

const reasons: Record<MediaProblem, string> = {
  UNREACHABLE: 'no se pudo llegar a su dirección',
  REFUSED: 'su dirección no se lo da a este servicio',
  REDIRECTS: 'su dirección redirige demasiadas veces, o a algo que no es una dirección web',
  PRIVATE: 'su dirección es privada',
  TOO_LARGE: 'es demasiado grande para leerlo antes de cada decisión',
  TOO_SLOW: 'llegó demasiado despacio',
  OFF: 'este servicio está configurado para no leer de direcciones externas',
  CHANGED: 'a la hora de la publicación era otro',
}

/** These texts are about media at an address outside, and about posters. */
export const outsideMediaWords: typeof english = {
  checking: 'La imagen o el vídeo está en una dirección fuera de este servicio. Se está leyendo…',
  willBeFixed:
    'La imagen o el vídeo está en una dirección fuera de este servicio. La aprobación registra lo que hay ahora: si a la hora de la publicación hay otra cosa, la publicación vuelve a aprobación.',
  fixed:
    'La aprobación ha registrado lo que hay en la dirección de la imagen o del vídeo. No se publica nada más desde allí.',
  notFixed: (problem) =>
    `La imagen o el vídeo no queda fijado: ${reasons[problem]}. Puede sustituirse en su dirección después de la aprobación, y se publica lo que haya entonces. Para estar seguro, suba el archivo.`,
  unknown:
    'La imagen o el vídeo está en una dirección fuera de este servicio y no se pudo leer ahora. Puede que la aprobación no lo fije.',
  changed:
    'A la hora de la publicación, en la dirección ya no estaba la imagen o el vídeo que se aprobó. Mírelo otra vez antes de decidir.',
  frame: 'Un fotograma del vídeo',
  frameHint:
    'La imagen del reproductor es una portada que puede elegir quien sube el vídeo. Esta sale del propio vídeo.',
}
