/* Hides an include behind 600 blanks.
 * whole: yes
 * gets: 0
 * allowed: 0
 * says: only "hw1.h" and the headers of the C standard can be included
 */
#                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        include <hw1.c>
