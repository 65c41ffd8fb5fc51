package dev.riposte;

import java.io.Serializable;

/**
 * One field at fault.
 *
 * @param field the path of the field from the request on, for example {@code content.text}
 * @param description what is wrong with it, for a person to read; never stable
 */
public record Violation(String field, String description) implements Serializable {}
