#include "shape.hpp"
#include <cmath>

namespace geometry {

class Shape {
public:
    explicit Shape(double scale);
    virtual ~Shape() = default;
    virtual double area() const = 0;
    bool operator<(const Shape &other) const { return area() < other.area(); }
};

template <typename T>
T square(T value) {
    return value * value;
}

Shape::Shape(double scale) {}

}  // namespace geometry
