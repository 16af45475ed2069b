import { common } from '../words.ts'
import type { seriesWords as english } from './series.words.ts'

const { count, list, number } = common

const WEEKDAYS = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo']
const weekday = (day: number): string => WEEKDAYS[day - 1] ?? ''

/** These texts are about posts that repeat. */
export const seriesWords: typeof english = {
  title: 'Serie',
  repeat: 'Repetir…',
  dialogTitle: 'Repetir la publicación',
  lead: 'Cada vez se convierte en un borrador propio con lo que esta publicación dice ahora. Cada uno se aprueba por separado, y un cambio en uno no toca los demás.',
  saveFirst: 'Guarda primero la publicación, para que las copias tengan lo que has escrito.',
  hashtags: (hashtags) =>
    `El superpoder de esta publicación tiene ${list(hashtags)}. En cada canal un hashtag pertenece a una sola publicación a la vez, así que no se puede repetir con él: quítalo primero.`,
  frequency: 'Con qué frecuencia',
  frequencyOf: { DAILY: 'Cada día', WEEKLY: 'Cada semana', MONTHLY: 'Cada mes' },
  weekdays: 'Los',
  weekday,
  dayOfMonth: 'El día',
  dayOfMonthHint: 'En un mes más corto es su último día.',
  time: 'Hora',
  timeHint: (zone) =>
    `En ${zone}. Donde el reloj salta esta hora, la publicación sale ese tiempo más tarde; donde la marca dos veces, a la primera.`,
  from: 'Desde',
  end: 'Hasta',
  endOf: { count: 'Un número de publicaciones', until: 'Un día' },
  count: 'Publicaciones',
  until: 'Último día',
  dates: (many) => `Se ${many === 1 ? 'creará' : 'crearán'} ${count(many, 'borrador', 'borradores')}`,
  none: 'Ninguna hora de esta regla es futura.',
  tooMany: (max) => `Son más de ${number(max)} publicaciones. Elige un final anterior.`,
  create: (many) => `Crear ${count(many, 'borrador', 'borradores')}`,
  created: (many) => `${count(many, 'borrador creado', 'borradores creados')}.`,
  rule: ({ frequency, weekdays = [], dayOfMonth = 1, time }, zone) => {
    const days = {
      DAILY: 'Cada día',
      WEEKLY: `Cada semana: ${list(weekdays.map(weekday))}`,
      MONTHLY: `Cada mes, el día ${number(dayOfMonth)}`,
    }
    return `${days[frequency]}, ${time}, en ${zone}.`
  },
  isThis: 'esta publicación',
  isFirst: 'la primera',
  stopped: 'La serie está detenida.',
  stop: 'Detener la serie…',
  stopTitle: '¿Detener la serie?',
  stopText:
    'Se eliminan sus publicaciones futuras sobre las que aún no se ha decidido. Esta publicación también, si es una de ellas. Las demás se quedan.',
  stopSubmit: 'Detener y eliminar',
  stoppedNow: (many) =>
    many === 0
      ? 'La serie está detenida.'
      : `La serie está detenida: ${count(many, 'publicación eliminada', 'publicaciones eliminadas')}.`,
}
