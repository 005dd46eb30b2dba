/** @file Character references: `&amp;`, `&#35;`, `&#x22;`. */

import { characterEntities } from "../vendor/character-entities/index.js";

export const ENTITY = /&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/y;
const BEGIN = /^&(?:#?|#[xX][0-9a-fA-F]{0,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{0,31})$/;
const ALL = new RegExp(ENTITY.source, "g");

/**
 * Its text; empty where no character has that name.
 * @param {string} entity  from `&` to `;`
 */
export function decodeEntity(entity) {
  if (entity.charAt(1) !== "#") return Object.hasOwn(characterEntities, entity.slice(1, -1)) ? characterEntities[entity.slice(1, -1)] ?? "" : "";
  const isHex = /x/i.test(entity.charAt(2));
  const point = isHex ? parseInt(entity.slice(3, -1), 16) : parseInt(entity.slice(2, -1), 10);
  const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : "\ufffd";
}

/** Whether more characters could make it one. @param {string} text */
export const isEntityBegin = (text) => text.length <= 33 && BEGIN.test(text);

/** @param {string} text */
export const decodeEntities = (text) => text.replace(ALL, (entity) => decodeEntity(entity) || entity);
