package org.example;

import java.util.List; //= import java.util.List
import java.util . //= import java.util.Map.* +1
    Map.*; //
import static java.lang.Math.max; //= import java.lang.Math.max

/** Documentation never counts. */
@Deprecated //= class Outer +24
public class Outer<T> extends Base implements Runnable {
    private static final int LIMIT = 3;
    static { int inner = 0; }

    public Outer() { super(); } //= method Outer.Outer

    @Override //= method Outer.run +3
    public void run() {
        class Local { void m() {} }
    } // behind

    abstract <U extends Comparable<U>> List<U> sorted(List<U> of); //= method Outer.sorted
    public native int größe(); //= method Outer.größe

    static class Builder { //= class Builder +2
        void build() {}
    }
    interface Inner { void call(); } //= type Inner
    enum Level { LOW, HIGH } //= type Level

    Runnable field = new Runnable() { public void run() {} };
    ;
    int array()[] { return null; } //= method Outer.array
}

interface Shape { //= type Shape +4
    int SIDES = 3;
    double area(); //= method Shape.area
    default String name() { return ""; } //= method Shape.name
}

enum Color { //= type Color +4
    RED { void m() {} }, GREEN;
    Color() {} //= method Color.Color
    public Color next() { return RED; } //= method Color.next
}

record Point(int x, int y) { //= class Point +3
    Point { if (x < 0) throw new IllegalArgumentException(); } //= method Point.Point
    static Point origin() { return new Point(0, 0); } //= method Point.origin
}

@interface Marker { //= type Marker +2
    String value() default ""; //= method Marker.value
}
