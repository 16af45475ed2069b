import { common } from '../words.ts'
import type { mediaWords as english } from './media.words.ts'

const { number } = common

const mib = (size: number): string => `${number(Math.ceil(size))} MiB`

/** These texts are about files: what is done to one before it is sent, and its crop. */
export const mediaWords: typeof english = {
  madeJpeg:
    'Se ha convertido en una imagen JPEG, que admiten todos los canales. Lo que la cámara anotó del lugar ya no está.',
  madeSmaller: 'Se ha hecho más pequeña, porque un canal no admite archivos de su tamaño.',
  unreadable: (name = ''): string =>
    `Este navegador no puede leer el archivo${name} como imagen ni como vídeo. Guárdalo como JPEG, PNG, MP4 o QuickTime y sube ese.`,
  gone: 'No se ha podido leer el archivo. Recarga la página y elígelo de nuevo.',
  videoTooLarge: (is, max) =>
    `Este vídeo tiene ${mib(is)}, y un canal elegido admite ${mib(max)} como máximo. Expórtalo más pequeño: en 1080p suele bastar.`,
  preparing: (name) => `${name}: se está preparando…`,
  altTextHint: 'Para quienes no la ven. Sale con la imagen en Facebook e Instagram.',
  aiGeneratedHint: 'Instagram muestra «Información de IA» en la publicación; Facebook no muestra nada.',
  fix: 'Convertirla en una imagen JPEG que se ajuste',
  crop: 'Recortar…',
  cropTitle: 'Recortar la imagen',
  cropped: 'La parte que queda',
  shape: 'Forma',
  shapes: { portrait: 'Vertical, 4:5', square: 'Cuadrada, 1:1', wide: 'Ancha, 1,91:1', whole: 'Tal como es' },
  zoom: 'Más cerca',
  across: 'De izquierda a derecha',
  down: 'De arriba abajo',
  cropHint: 'Arrastra la imagen o mueve los controles. El archivo que has subido se queda en la biblioteca.',
  cropSubmit: 'Usar esta parte',
}
