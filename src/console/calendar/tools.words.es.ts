import { common } from '../words.ts'
import type { toolsWords as english } from './tools.words.ts'

const { count } = common

export const toolsWords: typeof english = {
  feed: {
    title: 'En tu programa de calendario',
    lead: 'Una dirección secreta en la que tu programa de calendario lee las publicaciones de esta organización, desde hace 30 días hasta dentro de 180. Quien tenga la dirección puede leer sus textos: no la compartas.',
    none: 'Todavía no tienes ninguna dirección de este tipo.',
    since: (time) => `Tu dirección es de ${time}. No se puede mostrar de nuevo.`,
    make: 'Crear una dirección',
    replace: 'Crear una dirección nueva',
    replaceHint: 'Una dirección nueva sustituye a la que tienes, que deja de servir.',
    remove: 'Eliminar la dirección',
    removed: 'La dirección se ha eliminado.',
    made: 'Tu dirección de calendario',
    madeLead: 'Añádela a tu programa de calendario como suscripción. Solo se muestra ahora.',
    address: 'Dirección',
  },
  slots: {
    title: 'Huecos de publicación',
    lead: (zone) =>
      `Las horas de cada semana a las que deben salir las publicaciones de un canal, en ${zone}. El calendario las propone; nada se publica por sí solo.`,
    channel: 'Canal',
    noChannels: 'Todavía no hay ningún canal.',
    weekday: 'Día de la semana',
    time: 'Hora',
    add: 'Añadir',
    none: 'Todavía no hay huecos.',
    remove: (day, time) => `Quitar ${day} ${time}`,
    saved: (many) =>
      many === 0 ? 'El canal ya no tiene huecos.' : `${count(many, 'hueco guardado', 'huecos guardados')}.`,
    list: 'Huecos del canal',
  },
}
