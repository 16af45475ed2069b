import { postWords } from '../posts/words.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { number } = common

/** These texts are about the library of uploaded files. */
export const words: typeof english = {
  title: 'Biblioteca',
  lead: 'Las imágenes y los vídeos que se han subido aquí, primero los más nuevos.',
  off: 'Este servidor no admite subidas: las publicaciones usan archivos que ya están en la web.',
  kind: 'Mostrar',
  kinds: { '': 'Todo', IMAGE: 'Imágenes', VIDEO: 'Vídeos' },
  search: 'El nombre contiene',
  files: 'Archivos',
  unnamed: (mediaType, time) => `${mediaType === 'VIDEO' ? 'Vídeo' : 'Imagen'} de ${time}`,
  facts: ({ contentType, width, height, bytes }) =>
    `${postWords.fileKind(contentType)}, ${number(width)} × ${number(height)}, ${postWords.fileSize(bytes)}`,
  uploaded: (time) => `Subida: ${time}`,
  usedBy: 'Lo usa',
  post: 'una publicación',
  inStatus: (status) => `(${common.status[status].toLowerCase()})`,
  unused: 'No lo usa ninguna publicación.',
  inUse:
    'No se puede eliminar mientras una publicación que lo usa espera la aprobación, está programada o se está publicando.',
  delete: 'Eliminar',
  deleteTitle: (name) => `¿Eliminar ${name}?`,
  deleteUnused: 'Esto no se puede deshacer.',
  deleteUsed:
    'Esto no se puede deshacer. Lo publicado conserva su copia. Un borrador que usa el archivo necesita otro; una publicación que falló no se puede reintentar sin él.',
  deleted: (name) => `${name} se ha eliminado.`,
  emptyTitle: 'Aquí no hay archivos',
  empty: 'Los archivos que subes en una publicación aparecen aquí.',
  emptyFilter: 'No coincide ningún archivo. Elige otro filtro.',
  pages: 'Páginas',
  newest: 'Más nuevos',
  older: 'Anteriores',
  choose: 'Elegir de la biblioteca…',
  chooseTitle: 'Elegir una imagen o un vídeo',
  asPage: 'Abrir la biblioteca como página',
}
