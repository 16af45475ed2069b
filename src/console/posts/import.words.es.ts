import type { ImportProblemCode } from '../../interface/generated/types.ts'
import type { ImportColumn } from '../../interface/post-import.ts'
import { common } from '../words.ts'
import type { importWords as english } from './import.words.ts'
import { postWords } from './words.ts'

const { count, number } = common

const PROBLEMS: Record<ImportProblemCode, string> = {
  time_unreadable: 'Escribe la hora así: 2026-12-24 18:00.',
  time_ambiguous: 'Di arriba qué fecha es.',
  time_never: 'Esta hora no existe allí: el reloj se adelanta entonces. Elige otra.',
  time_twice:
    'Esta hora ocurre dos veces, porque el reloj se atrasa entonces. Añade la zona, por ejemplo 2026-10-25T02:30+02:00.',
  time_past: 'Esta hora ya ha pasado. Elige una futura o déjala vacía.',
  channel_missing: 'Indica el canal.',
  channel_unknown: 'No hay ningún canal con este nombre o id.',
  channel_ambiguous: 'Varios canales tienen este nombre. Elige el que corresponde.',
  channel_forbidden: 'No puedes escribir publicaciones en este canal. Elige otro.',
  channel_rounded: 'Una hoja de cálculo ha redondeado este id: elige el canal.',
  text_missing: 'Escribe un texto.',
  text_too_long: 'Acorta el texto.',
  media_no_url: 'Una dirección empieza por https:// o http://.',
  media_gone: 'Este archivo subido no existe, o ya no.',
  media_refused: 'El canal no acepta este archivo.',
  notes_too_long: 'Acorta las notas.',
  too_many_cells: 'La línea tiene más celdas que columnas: lo que sigue a la última se pierde. Revisa el texto.',
  characters_lost: 'Se han perdido caracteres del archivo: guárdalo en UTF-8 e impórtalo de nuevo.',
}

/** These texts are about the import of posts from a CSV. */
export const importWords: typeof english = {
  title: 'Importar publicaciones',
  open: 'Importar de un CSV…',
  lead: (zone) =>
    `Cada línea se convierte en un borrador, que se aprueba como cualquier otro. Las horas son de ${zone}, salvo que el archivo diga otra zona.`,
  columns:
    'Columnas, con estos nombres: time (hora), channel (nombre o id del canal), text (texto), media (una dirección) y notes (notas). Solo hacen falta channel y text.',
  template: 'Descargar una plantilla',
  templateName: 'publicaciones.csv',
  example: {
    text: 'El texto de la publicación. En una hoja de cálculo puede tener varias líneas.',
    channel: 'El nombre de un canal',
  },
  choose: 'Elegir un archivo…',
  tooLarge: 'El archivo es demasiado grande: divídelo, con 500 líneas como máximo en cada parte.',
  whichDate: (text) => `¿Qué fecha es ${text}? La respuesta vale para todo el archivo.`,
  lines: 'Líneas del archivo',
  line: (many) => `Línea ${number(many)}`,
  summary: (lines, wrong) =>
    wrong === 0
      ? `${lines === 1 ? 'Se puede' : 'Se pueden'} importar ${count(lines, 'línea')}.`
      : `${count(wrong, 'línea')} de ${number(lines)} ${wrong === 1 ? 'tiene un problema: corrígela u omítela' : 'tienen un problema: corrígelas u omítelas'}.`,
  onlyWrong: 'Mostrar solo las líneas con un problema',
  correct: 'Corregir',
  leaveOut: 'Omitir',
  column: { time: 'Hora', channel: 'Canal', text: 'Texto', media: 'Imagen o vídeo', notes: 'Notas' } as Record<
    ImportColumn,
    string
  >,
  done: 'Listo',
  chooseChannel: 'Elige un canal',
  import: (many) => `Importar ${count(many, 'borrador', 'borradores')}`,
  imported: (many) => `${count(many, 'borrador importado', 'borradores importados')}.`,
  toCalendar: 'Mostrar el calendario',
  another: 'Importar otro archivo',
  permissionMissing: 'Puedes ver las publicaciones, pero no escribirlas. Pide permiso a un administrador.',
  problem: (code, message, excess) =>
    excess === undefined
      ? (PROBLEMS[code] ?? message)
      : `El canal admite como máximo ${postWords.editor.most(excess.what, excess.max)}: este texto tiene ${number(excess.count)}.`,
}
